#include "inspect/inspect.h"

#include <algorithm>
#include <bit>

#include "inspect/aliasing.h"
#include "inspect/collapse.h"
#include "inspect/dense.h"
#include "inspect/refusal.h"
#include "inspect/thresholds.h"
#include "inspect/validate.h"
#include "model/any_width.h"

namespace rowsmith {

namespace {

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

// The largest power of two, at most 16, that divides the address of every row.
std::uint8_t row_alignment(const facts& f, int k) noexcept {
  const auto size = size_of(f.fixed.operands[k].dtype);
  const call_data::memory& m = f.call.operands[k];
  std::uint64_t bits = std::bit_cast<std::uint64_t>(m.data) | widest_access;
  for (int i = 0; i < f.fixed.outer_rank + f.fixed.inner_rank - 1; ++i) {
    // An index may name any row of its table, however few are asked for.
    const bool moves = f.call.extent[i] > 1 || f.fixed.operands[k].has(operand_indexed);
    if (moves) bits |= static_cast<std::uint64_t>(m.stride[i]) * size;
  }
  return static_cast<std::uint8_t>(bits & (~bits + 1));
}

// Do all full operands start each row at the same element offset from a 16-byte boundary? The narrowest dtype has the
// longest period, that of a pack. Kernels take the phase from the first operand: where that is the narrowest, a wider
// one has to agree modulo its own, shorter period only; else all have to agree modulo the pack.
bool have_same_phase(const facts& f) noexcept {
  const shape_class& c = f.fixed;
  const auto size = [&](int k) { return static_cast<std::uint64_t>(size_of(c.operands[k].dtype)); };
  int first = -1, lead = -1;
  bool indexed = false;
  for (int k = 0; k < c.operand_count; ++k) {
    if (!c.operands[k].has(operand_full)) continue;
    indexed = indexed || c.operands[k].has(operand_indexed);
    if (first < 0) first = k;
    if (lead < 0 || size(k) < size(lead)) lead = k;
  }
  if (first < 0) return false;
  const auto elements_at = [&](int k) { return std::bit_cast<std::uint64_t>(f.call.operands[k].data) / size(k); };
  for (int k = 0; k < c.operand_count; ++k) {
    if (!c.operands[k].has(operand_full)) continue;
    const std::uint64_t period = widest_access / size(lead == first ? k : lead);  // a power of two
    std::uint64_t difference = elements_at(k) - elements_at(lead);
    for (int i = 0; i < c.outer_rank; ++i) {
      // Where rows are picked by an index, none is where the others' pace would have it.
      const std::int64_t pace = indexed ? 0 : f.call.operands[lead].stride[i];
      difference |= static_cast<std::uint64_t>(f.call.operands[k].stride[i] - pace);
    }
    if ((difference & (period - 1)) != 0) return false;
  }
  return true;
}

inner inner_of(std::int64_t stride, std::int64_t extent) noexcept {
  if (stride == 1) return inner::contiguous;
  if (stride == 0) return inner::broadcast;
  return extent == 1 ? inner::contiguous : inner::strided;
}

// Does the operand move along every axis?
bool is_full(const facts& f, int k) noexcept {
  for (int i = 0; i < f.fixed.outer_rank + f.fixed.inner_rank; ++i) {
    if (f.call.extent[i] > 1 && f.call.operands[k].stride[i] == 0) return false;
  }
  return true;
}

bool is_shared(const facts& f, int k) noexcept {
  for (int i = 0; i < f.fixed.outer_rank; ++i) {
    if (f.call.extent[i] > 1 && f.call.operands[k].stride[i] != 0) return false;
  }
  return f.call.rows > 1;
}

// Does the first operand lie along an outer axis while it strides along the fastest? Then its lines are there, and
// that is what its alignment is about.
bool is_crossed(const facts& f) noexcept {
  const shape_class& c = f.fixed;
  if (!c.operands[0].has(operand_full) || c.operands[0].inner != inner::strided) return false;
  for (int i = 0; i < c.outer_rank; ++i) {
    if (f.call.extent[i] > 1 && f.call.operands[0].stride[i] == 1) return true;
  }
  return false;
}

// Does the operand move along a reduced axis at all?
bool moves_within(const facts& f, int k) noexcept {
  for (int i = f.fixed.outer_rank; i < f.fixed.outer_rank + f.fixed.inner_rank; ++i) {
    if (f.call.extent[i] > 1 && f.call.operands[k].stride[i] != 0) return true;
  }
  return false;
}

std::uint8_t line_alignment(const facts& f, int k) noexcept {
  const auto size = size_of(f.fixed.operands[k].dtype);
  const call_data::memory& m = f.call.operands[k];
  std::uint64_t bits = std::bit_cast<std::uint64_t>(m.data) | widest_access;
  for (int i = 0; i < f.fixed.outer_rank + f.fixed.inner_rank; ++i) {
    if (f.call.extent[i] > 1 && m.stride[i] != 1) bits |= static_cast<std::uint64_t>(m.stride[i]) * size;
  }
  return static_cast<std::uint8_t>(bits & (~bits + 1));
}

void find_elementwise_flags(facts* f) noexcept {
  if (f->call.rows == 1) f->fixed.flags |= fact_one_row;
  if (has_few_elements(f->fixed.vendor, f->call.rows * f->call.width)) f->fixed.flags |= fact_few;
  if (!is_crossed(*f)) return;
  f->fixed.flags |= fact_crossed;
  f->fixed.operands[0].align = line_alignment(*f, 0);
}

void describe_operand(const request& r, const iteration& over, int k, facts* f) noexcept {
  const tensor_view& v = r.operands[k].view;
  const int last = f->fixed.outer_rank + f->fixed.inner_rank - 1;
  operand_facts& o = f->fixed.operands[k];
  f->call.operands[k].data = v.data;
  o.what = r.operands[k].what;
  o.dtype = v.dtype;
  o.inner = inner_of(f->call.operands[k].stride[last], f->call.extent[last]);
  o.flags = over.spec[k]->output ? operand_output : 0;
  if (over.spec[k]->extent == reach::no_memory) {
    o.flags |= operand_virtual;
    return;
  }
  if (o.inner == inner::broadcast && moves_within(*f, k)) o.inner = inner::strided;
  if (over.spec[k]->extent == reach::per_row) o.inner = inner::broadcast;
  if (r.operands[k].rows_from >= 0) {
    o.flags |= operand_indexed | operand_full;
    o.rows_from = static_cast<std::uint8_t>(r.operands[k].rows_from);
    f->call.operands[k].stride[f->fixed.outer_rank - 1] = v.stride[0];
  } else {
    // A byte an element would make packs of 16 out of what others move by 8.
    if (over.spec[k]->extent <= reach::broadcast && size_of(v.dtype) > 1 && is_full(*f, k)) o.flags |= operand_full;
    if (is_shared(*f, k)) o.flags |= operand_shared;
  }
  o.align = row_alignment(*f, k);
}

// How many rows the table has goes where the index's own kernel argument has room: it has one element a row.
status bound_indices(const request& r, facts* f) noexcept {
  const int last = f->fixed.outer_rank + f->fixed.inner_rank - 1;
  for (int k = 0; k < r.operand_count; ++k) {
    if (r.operands[k].rows_from < 0) continue;
    std::int64_t& rows = f->call.operands[r.operands[k].rows_from].stride[last];
    const std::int64_t has = r.operands[k].view.shape[0];
    if (rows != 0 && rows != has) {
      return refuse(r.operands[k].what, "has {} rows, another operand of the same index has {}", has, rows);
    }
    rows = f->call.table_rows = has;
  }
  return {};
}

// Does each row of the operand begin where the row before it ends?
bool rows_follow(const facts& f, int k) noexcept {
  std::int64_t step = f.call.width;
  for (int i = f.fixed.outer_rank; i-- > 0;) {
    if (f.call.extent[i] != 1 && f.call.operands[k].stride[i] != step) return false;
    step *= f.call.extent[i];
  }
  return true;
}

void find_flags(const iteration& over, bool in_place, facts* f) noexcept {
  shape_class& c = f->fixed;
  bool dense = c.inner_rank == 1, contiguous = c.inner_rank == 1, side_by_side = c.inner_rank == 1;
  for (int k = 0; k < c.operand_count; ++k) {
    const operand_facts& o = c.operands[k];
    if (over.spec[k]->extent == reach::full || o.has(operand_full))
      contiguous = contiguous && o.inner == inner::contiguous;
    if (!o.has(operand_full)) continue;
    const std::int64_t* stride = f->call.operands[k].stride;
    dense = dense && !o.has(operand_indexed) && rows_follow(*f, k);
    side_by_side = side_by_side && !o.has(operand_indexed) && stride[c.outer_rank - 1] == 1;
  }
  if (in_place) c.flags |= fact_in_place;
  if (contiguous && dense) c.flags |= fact_dense;
  if (contiguous && have_same_phase(*f)) c.flags |= fact_same_phase;
  if (!contiguous && side_by_side) c.flags |= fact_side_by_side;
  if (contiguous && f->call.rows <= few_rows && c.width >= long_row) c.flags |= fact_few;
}

// No element to read. Is there one to write all the same?
void inspect_empty(const request& r, const iteration& over, facts* f) noexcept {
  f->call.rows = f->call.width = 1;
  for (int i = 0; i < over.rank; ++i) ((over.reduced >> i & 1) != 0 ? f->call.width : f->call.rows) *= over.shape[i];
  f->fixed.width = f->call.width;
  f->call.nothing = true;
  for (int k = 0; k < r.operand_count; ++k) {
    if (over.spec[k]->output && elements_of(r.operands[k].view) != 0) f->call.nothing = false;
  }
}

// Of a batch-invariant row neither its phase nor how many there are is a fact. What moves rows and reduces none has the
// same bits anyhow.
void take_asks(const request& r, const op_row& op, shape_class* c) noexcept {
  if (op.along == reduces::nothing) return;
  if ((r.flags & request_batch_invariant) != 0 && !op.moves_only) {
    c->asks |= ask_batch_invariant;
    c->flags &= fact_in_place | fact_side_by_side;
  }
  if ((r.flags & request_any_width) != 0 && has_bucket(*c)) *c = any_width_class(*c);
}

bool asks(const request& r) noexcept { return (r.flags & (request_batch_invariant | request_any_width)) != 0; }

// What no shape changes.
void start(const request& r, const iteration& over, facts* f) noexcept {
  shape_class& c = f->fixed;
  std::memset(static_cast<void*>(&c), 0, sizeof c);
  const rowsmith::device where = r.operands[over.leader].view.device;
  c.op = r.op;
  c.vendor = where.kind;
  c.device_index = static_cast<std::uint32_t>(where.index);
  c.operand_count = static_cast<std::uint8_t>(r.operand_count);
  c.options = r.options;
  c.pre = r.pre;
  c.post = r.post;
  c.inner_rank = 1;
  std::copy(std::begin(r.param), std::end(r.param), f->call.param);
  f->call.workspace = r.workspace;
  f->call.workspace_bytes = r.workspace_bytes;
  f->call.nothing = false;
}

status inspect_strided(const request& r, const op_row& op, const iteration& over, facts* f) noexcept {
  shape_class& c = f->fixed;
  if (over.elements == 0) {
    inspect_empty(r, over, f);
    if (f->call.nothing) return {};
  }
  bool in_place = false;
  if (status s = check_aliasing(r, over, dense_operands(r), &in_place); !s) return s;
  collapse(r, op, over, f);
  c.width = op.along == reduces::nothing ? 0 : f->call.width;
  if (c.inner_rank > 1) {
    const auto run = static_cast<std::uint64_t>(f->call.extent[c.outer_rank + c.inner_rank - 1]) | 16;
    c.run = static_cast<std::uint8_t>(run & (~run + 1));
  }
  for (int k = 0; k < r.operand_count; ++k) describe_operand(r, over, k, f);
  if (status s = bound_indices(r, f); !s) return s;
  find_flags(over, in_place, f);
  if (op.along == reduces::nothing) find_elementwise_flags(f);
  return {};
}

status inspect_dense(const request& r, const iteration& over, facts* f) noexcept {
  bool in_place = false;
  if (shares_bytes(r, over)) {
    if (status s = check_aliasing(r, over, (1u << r.operand_count) - 1, &in_place); !s) return s;
  }
  describe_dense(r, over, f);
  if (in_place) f->fixed.flags |= fact_in_place;
  return {};
}

}  // namespace

status inspect(const request& r, facts* f) noexcept {
  iteration over;
  const op_row& op = describe(r.op);
  if (status refused = validate(r, op, shortcut::allowed, &over); !refused) return refused;
  start(r, over, f);
  status s = over.dense ? inspect_dense(r, over, f) : inspect_strided(r, op, over, f);
  if (asks(r)) [[unlikely]]
    take_asks(r, op, &f->fixed);
  return s;
}

status inspect_in_general(const request& r, facts* f) noexcept {
  iteration over;
  const op_row& op = describe(r.op);
  if (status refused = validate(r, op, shortcut::none, &over); !refused) return refused;
  start(r, over, f);
  status s = inspect_strided(r, op, over, f);
  if (asks(r)) take_asks(r, op, &f->fixed);
  return s;
}

}  // namespace rowsmith
