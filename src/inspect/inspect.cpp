#include "inspect/inspect.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "inspect/aliasing.h"
#include "inspect/validate.h"

namespace rowsmith {

namespace {

constexpr std::uint64_t widest_access = 16;  // bytes

// The axes beside the reduced one: extents above 1, slowest first as the output lies, then merged where one step
// continues the next in every operand.
void collapse(const request& r, int reduced, facts* f) noexcept {
  int order[max_rank];
  int count = 0;
  const tensor_view& out = r.operands[r.operand_count - 1].view;
  for (int i = 0; i < out.rank; ++i) {
    if (i == reduced || out.shape[i] == 1) continue;
    int at = count++;
    for (; at > 0 && std::llabs(out.stride[order[at - 1]]) < std::llabs(out.stride[i]); --at) order[at] = order[at - 1];
    order[at] = i;
  }
  call_data& c = f->call;
  int outer = 0;
  for (int n = 0; n < count; ++n) {
    const int i = order[n];
    bool merges = outer > 0;
    for (int k = 0; merges && k < r.operand_count; ++k) {
      merges = c.operands[k].stride[outer - 1] == r.operands[k].view.stride[i] * out.shape[i];
    }
    const int at = merges ? outer - 1 : outer++;
    c.extent[at] = merges ? c.extent[at] * out.shape[i] : out.shape[i];
    for (int k = 0; k < r.operand_count; ++k) c.operands[k].stride[at] = r.operands[k].view.stride[i];
  }
  if (outer == 0) {  // a single row
    outer = 1;
    c.extent[0] = 1;
    for (int k = 0; k < r.operand_count; ++k) c.operands[k].stride[0] = 0;
  }
  f->fixed.outer_rank = static_cast<std::uint8_t>(outer);
  c.rows = 1;
  for (int i = 0; i < outer; ++i) c.rows *= c.extent[i];
}

// Row-major without gaps, axes of one element aside?
bool is_dense(const tensor_view& v) noexcept {
  std::int64_t expected = 1;
  for (int i = v.rank; i-- > 0;) {
    if (v.shape[i] != 1 && v.stride[i] != expected) return false;
    expected *= v.shape[i];
  }
  return true;
}

unsigned dense_operands(const request& r) noexcept {
  unsigned mask = 0;
  for (int k = 0; k < r.operand_count; ++k) mask |= static_cast<unsigned>(is_dense(r.operands[k].view)) << k;
  return mask;
}

// What collapse() would find for dense operands reduced along their last axis: the usual call, and the shortest way.
void collapse_dense(const request& r, std::int64_t elements, facts* f) noexcept {
  f->fixed.outer_rank = 1;
  f->call.rows = f->call.extent[0] = elements / f->fixed.width;
  for (int k = 0; k < r.operand_count; ++k) f->call.operands[k].stride[0] = f->call.rows == 1 ? 0 : f->fixed.width;
}

// The largest power of two, at most 16, that divides the address of every row.
std::uint8_t row_alignment(const call_data& c, const call_data::memory& m, int outer, std::size_t size) noexcept {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(m.data) | widest_access;
  for (int i = 0; i < outer; ++i) {
    if (c.extent[i] > 1) bits |= static_cast<std::uint64_t>(m.stride[i]) * size;
  }
  return static_cast<std::uint8_t>(bits & (~bits + 1));
}

// Do all operands start each row at the same element offset from a 16-byte boundary? The narrowest dtype has the
// longest period, that of a pack. Kernels take the phase from the first operand: where that is the narrowest, a wider
// one has to agree modulo its own, shorter period only; else all have to agree modulo the pack.
bool have_same_phase(const request& r, const facts& f) noexcept {
  int lead = 0;
  for (int k = 1; k < r.operand_count; ++k) {
    if (size_of(r.operands[k].view.dtype) < size_of(r.operands[lead].view.dtype)) lead = k;
  }
  const auto elements_at = [&](int k) {
    return std::bit_cast<std::uint64_t>(r.operands[k].view.data) / size_of(r.operands[k].view.dtype);
  };
  for (int k = 0; k < r.operand_count; ++k) {
    const int judge = lead == 0 ? k : lead;
    const std::uint64_t period = widest_access / size_of(r.operands[judge].view.dtype);  // a power of two
    std::uint64_t difference = elements_at(k) - elements_at(lead);
    for (int i = 0; i < f.fixed.outer_rank; ++i) {
      difference |= static_cast<std::uint64_t>(f.call.operands[k].stride[i] - f.call.operands[lead].stride[i]);
    }
    if ((difference & (period - 1)) != 0) return false;
  }
  return true;
}

inner inner_of(std::int64_t stride, std::int64_t width) noexcept {
  if (stride == 1 || width == 1) return inner::contiguous;
  return stride == 0 ? inner::broadcast : inner::strided;
}

}  // namespace

status inspect(const request& r, facts* f) noexcept {
  int axis = 0;
  std::int64_t elements = 0;
  if (status s = validate(r, describe(r.op), &axis, &elements); !s) return s;

  shape_class& c = f->fixed;
  std::memset(static_cast<void*>(&c), 0, sizeof c);
  const tensor_view& first = r.operands[0].view;
  c.op = r.op;
  c.vendor = first.device.kind;
  c.device_index = static_cast<std::uint16_t>(first.device.index);
  c.operand_count = static_cast<std::uint8_t>(r.operand_count);
  c.options = r.options;
  c.width = first.shape[axis];
  std::copy(std::begin(r.param), std::end(r.param), f->call.param);
  if (elements == 0) {
    f->call.rows = 0;
    return {};
  }

  const unsigned dense_mask = dense_operands(r);
  bool in_place = false;
  if (status s = check_aliasing(r, dense_mask, elements, &in_place); !s) return s;
  if (dense_mask + 1 == 1u << r.operand_count && axis == first.rank - 1)
    collapse_dense(r, elements, f);
  else
    collapse(r, axis, f);
  bool dense = c.outer_rank == 1, contiguous = true;
  for (int k = 0; k < r.operand_count; ++k) {
    const tensor_view& v = r.operands[k].view;
    call_data::memory& m = f->call.operands[k];
    m.data = v.data;
    m.inner_stride = v.stride[axis];
    const inner lies = inner_of(m.inner_stride, c.width);
    contiguous = contiguous && lies == inner::contiguous;
    dense = dense && (f->call.extent[0] == 1 || m.stride[0] == c.width);
    c.operands[k] = {r.operands[k].what, v.dtype, lies, row_alignment(f->call, m, c.outer_rank, size_of(v.dtype))};
  }
  if (in_place) c.flags |= fact_in_place;
  if (contiguous && dense) c.flags |= fact_dense;
  if (contiguous && have_same_phase(r, *f)) c.flags |= fact_same_phase;
  return {};
}

}  // namespace rowsmith
