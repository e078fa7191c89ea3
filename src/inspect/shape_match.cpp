#include "inspect/shape_match.h"

#include <algorithm>
#include <bit>

#include "inspect/refusal.h"

namespace rowsmith {

namespace {

[[gnu::cold, gnu::noinline]] status wrong_shape(const request& r, int k, const iteration& over,
                                                std::string_view allowed) noexcept {
  const operand& lead = r.operands[over.leader];
  const tensor_view& v = r.operands[k].view;
  if (v.rank != lead.view.rank && over.spec[k]->extent == reach::full) {
    return refuse(r.operands[k].what, "rank is {}, but {} has rank {}", v.rank, name_of(lead.what), lead.view.rank);
  }
  return refuse(r.operands[k].what, "shape is {}, but {} has shape {}{}", shape_text(v), name_of(lead.what),
                shape_text(lead.view), allowed);
}

// The axes of the view that stand for the axes in `mask`, right-aligned; an axis of 1 repeats where that is allowed.
bool match_axes(const tensor_view& v, unsigned mask, bool repeats, const iteration& over,
                std::int64_t (&stride)[max_rank]) noexcept {
  int at = v.rank;
  for (int i = over.rank; i-- > 0;) {
    stride[i] = 0;
    if ((mask >> i & 1) == 0) continue;
    if (--at < 0) {
      if (!repeats) return false;
      continue;
    }
    if (v.shape[at] == over.shape[i]) {
      stride[i] = over.shape[i] == 1 ? 0 : v.stride[at];
    } else if (!repeats || v.shape[at] != 1) {
      return false;
    }
  }
  return at <= 0;
}

// Keeps one element along the other axes: shape 1 there, or those axes left out.
bool match_some(const tensor_view& v, unsigned mask, const iteration& over, std::int64_t (&stride)[max_rank]) noexcept {
  if (v.rank != over.rank) return v.rank == std::popcount(mask) && match_axes(v, mask, false, over, stride);
  for (int i = 0; i < over.rank; ++i) {
    const bool there = (mask >> i & 1) != 0;
    if (v.shape[i] != (there ? over.shape[i] : 1))
      return v.rank == std::popcount(mask) && match_axes(v, mask, false, over, stride);
    stride[i] = there && v.shape[i] != 1 ? v.stride[i] : 0;
  }
  return true;
}

// A table that an index picks rows from: [table rows, the reduced axes].
status match_table(const request& r, int k, iteration* over) noexcept {
  const operand& o = r.operands[k];
  const tensor_view& v = o.view;
  if (o.rows_from >= r.operand_count || !is_index(r.operands[o.rows_from].what)) {
    return refuse(o.what, "its rows are to come from operand {}, which is no index", o.rows_from);
  }
  const op_row& op = describe(r.op);
  const operand_spec& spec = *over->spec[k];
  if (spec.extent != reach::full || spec.output != op.by_table) {
    return refuse(o.what, "no index picks its rows: {} takes {} by index", op.name,
                  op.by_table ? "its output" : "inputs of whole rows");
  }
  tensor_view row = v;
  --row.rank;
  for (int i = 0; i < row.rank; ++i) row.shape[i] = v.shape[i + 1], row.stride[i] = v.stride[i + 1];
  if (v.rank != 1 + std::popcount(over->reduced) || !match_axes(row, over->reduced, false, *over, over->stride[k])) {
    return wrong_shape(r, k, *over, ": an indexed operand is [rows, the axes of a row]");
  }
  return {};
}

}  // namespace

status match_shape(const request& r, int k, iteration* over) noexcept {
  const tensor_view& v = r.operands[k].view;
  std::int64_t(&stride)[max_rank] = over->stride[k];
  const unsigned all = (1u << over->rank) - 1;
  if (r.operands[k].rows_from >= 0) {
    return match_table(r, k, over);
  }
  switch (over->spec[k]->extent) {
    case reach::full:
      if (v.rank != over->rank) return wrong_shape(r, k, *over, "");
      for (int i = 0; i < v.rank; ++i) {
        if (v.shape[i] != over->shape[i]) return wrong_shape(r, k, *over, "");
        stride[i] = v.stride[i];
      }
      return {};
    case reach::broadcast:
      if (match_axes(v, all, true, *over, stride)) return {};
      return wrong_shape(r, k, *over, ", to which it has to broadcast");
    case reach::per_row:
      if (match_some(v, all & ~over->reduced, *over, stride)) return {};
      return wrong_shape(r, k, *over, ": one element a row is needed");
    case reach::per_column:
      if (match_some(v, over->reduced, *over, stride)) return {};
      return wrong_shape(r, k, *over, ": the reduced axes are needed");
    case reach::no_memory:
      if (v.rank != over->rank) return wrong_shape(r, k, *over, "");
      for (int i = 0; i < v.rank; ++i) stride[i] = v.stride[i];
      return {};
  }
  return {};
}

}  // namespace rowsmith
