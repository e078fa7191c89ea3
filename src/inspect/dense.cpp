#include "inspect/dense.h"

#include <bit>

#include "inspect/thresholds.h"

namespace rowsmith {

namespace {

// Elements from one index to the next along each axis: of a tensor, and of one that has an element a row.
struct steps {
  std::int64_t tensor[max_rank];
  std::int64_t per_row[max_rank];
};

bool lies(const tensor_view& v, const std::int64_t* shape, const std::int64_t* step, int rank) noexcept {
  if (v.rank != rank) return false;
  for (int i = 0; i < rank; ++i) {
    if (v.shape[i] != shape[i] || (v.shape[i] != 1 && v.stride[i] != step[i])) return false;
  }
  return true;
}

bool lies(const tensor_view& v, reach extent, const iteration& over, const steps& by, int outer) noexcept {
  switch (extent) {
    case reach::full:
    case reach::broadcast:
      return lies(v, over.shape, by.tensor, over.rank);
    case reach::per_column:
      return lies(v, over.shape + outer, by.tensor + outer, over.rank - outer);
    case reach::per_row:
      return lies(v, over.shape, by.per_row, outer);
    case reach::no_memory:
      return false;
  }
  return false;
}

std::int64_t elements_in(reach extent, const iteration& over) noexcept {
  return extent == reach::per_row ? over.rows : extent == reach::per_column ? over.width : over.elements;
}

bool has_memory(const tensor_view& v, std::int64_t elements) noexcept {
  const auto size = static_cast<std::int64_t>(size_of(v.dtype));
  const auto base = std::bit_cast<std::intptr_t>(v.data);
  std::int64_t bytes = 0, end = 0;
  const bool wraps = __builtin_mul_overflow(elements, size, &bytes) || __builtin_add_overflow(base, bytes, &end);
  return base != 0 && (base & (size - 1)) == 0 && !wraps;
}

std::uint8_t alignment(const void* data, std::int64_t row_bytes) noexcept {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(data) | static_cast<std::uint64_t>(row_bytes) | widest_access;
  return static_cast<std::uint8_t>(bits & (~bits + 1));
}

operand_facts describe(const operand& o, const operand_spec& spec, const iteration& over,
                       std::int64_t row_step) noexcept {
  const auto size = static_cast<std::int64_t>(size_of(o.view.dtype));
  operand_facts of;
  of.what = o.what;
  of.dtype = o.view.dtype;
  of.inner = spec.extent == reach::per_row ? inner::broadcast : inner::contiguous;
  of.align = alignment(o.view.data, row_step * size);
  of.flags = spec.output ? operand_output : 0;
  if (spec.extent <= reach::broadcast && size > 1) of.flags |= operand_full;
  if (over.rows > 1 && row_step == 0) of.flags |= operand_shared;
  return of;
}

// All rows are equally far apart, so the first ones tell. Periods are those of the general way: kernels take the phase
// from the first operand, and where that is the narrowest, the others agree modulo their own, shorter periods.
bool have_same_phase(const facts& f) noexcept {
  const operand_facts* const o = f.fixed.operands;
  const int count = f.fixed.operand_count;
  int first = 0;
  while (first < count && !o[first].has(operand_full)) ++first;
  if (first == count) return false;
  std::uint64_t narrowest = size_of(o[first].dtype);
  int lead = first;
  for (int k = first + 1; k < count; ++k) {
    if (o[k].has(operand_full) && size_of(o[k].dtype) < narrowest) narrowest = size_of(o[k].dtype), lead = k;
  }
  const auto element_at = [&](int k) {
    return std::bit_cast<std::uint64_t>(f.call.operands[k].data) >> std::countr_zero(size_of(o[k].dtype));
  };
  const std::uint64_t start = element_at(lead);
  std::uint64_t differs = 0;
  for (int k = first; k < count; ++k) {
    if (!o[k].has(operand_full) || k == lead) continue;
    const std::uint64_t period = widest_access / (lead == first ? size_of(o[k].dtype) : narrowest);
    differs |= (element_at(k) - start) & (period - 1);
  }
  return differs == 0;
}

}  // namespace

bool is_dense_call(const request& r, iteration* over) noexcept {
  const unsigned lowest = over->reduced & (0u - over->reduced);
  if (over->elements == 0 || (over->reduced != 0 && over->reduced + lowest != 1u << over->rank)) return false;
  const int outer = over->reduced == 0 ? 0 : over->rank - std::popcount(over->reduced);
  steps by;
  over->width = over->rows = 1;
  for (int i = over->rank; i-- > outer; over->width *= over->shape[i]) by.tensor[i] = over->width;
  for (int i = outer; i-- > 0; over->rows *= over->shape[i]) {
    by.per_row[i] = over->rows;
    by.tensor[i] = over->rows * over->width;
  }
  for (int k = 0; k < r.operand_count; ++k) {
    const tensor_view& v = r.operands[k].view;
    const reach extent = over->spec[k]->extent;
    if (r.operands[k].rows_from >= 0 || is_index(r.operands[k].what) || !lies(v, extent, *over, by, outer) ||
        !has_memory(v, elements_in(extent, *over))) {
      return false;
    }
  }
  return true;
}

bool shares_bytes(const request& r, const iteration& over) noexcept {
  const auto begin = [&](int k) { return std::bit_cast<std::uintptr_t>(r.operands[k].view.data); };
  const auto end = [&](int k) {
    const auto elements = static_cast<std::uintptr_t>(elements_in(over.spec[k]->extent, over));
    return begin(k) + elements * size_of(r.operands[k].view.dtype);
  };
  for (int i = 0; i < r.operand_count; ++i) {
    if (!over.spec[i]->output) continue;
    for (int k = 0; k < r.operand_count; ++k) {
      if (k != i && begin(i) < end(k) && begin(k) < end(i)) return true;
    }
  }
  return false;
}

void describe_dense(const request& r, const iteration& over, facts* f) noexcept {
  shape_class& c = f->fixed;
  call_data& call = f->call;
  const bool reduces = over.reduced != 0;
  c.outer_rank = c.inner_rank = 1;
  c.width = reduces ? over.width : 0;
  call.rows = call.extent[0] = over.rows;
  call.width = call.extent[1] = over.width;
  for (int k = 0; k < r.operand_count; ++k) {
    const reach extent = over.spec[k]->extent;
    const std::int64_t step = extent == reach::per_row ? 1 : extent == reach::per_column ? 0 : over.width;
    call_data::memory& m = call.operands[k];
    m.data = r.operands[k].view.data;
    m.stride[0] = over.rows == 1 ? 0 : step;
    m.stride[1] = extent == reach::per_row ? 0 : 1;
    c.operands[k] = describe(r.operands[k], *over.spec[k], over, m.stride[0]);
  }
  c.flags |= fact_dense;
  if (have_same_phase(*f)) c.flags |= fact_same_phase;
  if (over.rows <= few_rows && c.width >= long_row) c.flags |= fact_few;
  if (!reduces && over.rows == 1) c.flags |= fact_one_row;
  if (!reduces && has_few_elements(c.vendor, over.elements)) c.flags |= fact_few;
}

}  // namespace rowsmith
