#include "inspect/aliasing.h"

#include <cstdint>

#include "base/failure.h"
#include "inspect/overlap.h"
#include "inspect/refusal.h"
#include "model/op_table.h"

namespace rowsmith {

namespace {

bool same_shape(const tensor_view& a, const tensor_view& b) noexcept {
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.shape[i] != b.shape[i]) return false;
  }
  return true;
}

bool same_window(const tensor_view& a, const tensor_view& b) noexcept {
  if (a.data != b.data || size_of(a.dtype) != size_of(b.dtype) || !same_shape(a, b)) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.shape[i] > 1 && a.stride[i] != b.stride[i]) return false;
  }
  return true;
}

// Two dense tensors: two ranges of bytes.
bool ranges_meet(const tensor_view& a, const tensor_view& b) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(a.data), second = reinterpret_cast<std::uintptr_t>(b.data);
  const auto bytes = [](const tensor_view& v) {
    return static_cast<std::uintptr_t>(elements_of(v)) * size_of(v.dtype);
  };
  return first < second + bytes(b) && second < first + bytes(a);
}

bool share_bytes(const tensor_view& a, const tensor_view& b) noexcept {
  return same_shape(a, b) ? overlap(a, b) : ranges_overlap(a, b);
}

}  // namespace

status check_aliasing(const request& r, const iteration& over, unsigned dense, bool* in_place) noexcept {
  for (int i = 0; i < r.operand_count; ++i) {
    const operand& out = r.operands[i];
    if (!over.spec[i]->output || elements_of(out.view) == 0) continue;
    const bool out_dense = (dense >> i & 1) != 0;
    if (!out_dense && overlaps_itself(out.view)) {
      return refuse(out.what, "an output's elements overlap: its strides let different indices share memory");
    }
    for (int k = 0; k < r.operand_count; ++k) {
      const operand& other = r.operands[k];
      const operand_spec& spec = *over.spec[k];
      if (k == i || (spec.output && k < i) || spec.extent == reach::no_memory) continue;
      if (elements_of(other.view) == 0) continue;
      if (out_dense && (dense >> k & 1) != 0 && !ranges_meet(out.view, other.view)) continue;
      // An element of the input is read by whoever writes it, and by nobody else.
      const bool same_reach = spec.extent == over.spec[i]->extent ||
                              (describe(r.op).along == reduces::nothing && spec.extent == reach::broadcast);
      const bool elementwise = !spec.output && same_reach && other.rows_from < 0 && out.rows_from < 0;
      if (elementwise && same_window(out.view, other.view)) {
        *in_place = true;
      } else if (share_bytes(out.view, other.view)) {
        return refuse(out.what,
                      "overlaps {}: allowed is the very same base, strides and element size, or no common byte",
                      name_of(other.what));
      }
    }
  }
  return {};
}

status check_workspace(const request& r, const iteration& over) noexcept {
  constexpr std::uintptr_t alignment = 16;
  const auto first = reinterpret_cast<std::uintptr_t>(r.workspace);
  if (first % alignment != 0) {
    return failure(code::invalid_argument, "workspace: is at {}, which is not a multiple of {}", r.workspace,
                   alignment);
  }
  if (r.workspace_bytes > static_cast<std::size_t>(INTPTR_MAX)) {
    return failure(code::invalid_argument, "workspace: {} bytes are more than there are addresses", r.workspace_bytes);
  }
  if (r.workspace_bytes == 0) return {};
  tensor_view own{};
  own.data = r.workspace;
  own.dtype = dtype::b8;
  own.rank = 1;
  own.shape[0] = static_cast<std::int64_t>(r.workspace_bytes);
  own.stride[0] = 1;
  for (int k = 0; k < r.operand_count; ++k) {
    const tensor_view& v = r.operands[k].view;
    if (over.spec[k]->extent == reach::no_memory || elements_of(v) == 0) continue;
    if (ranges_overlap(own, v)) return refuse(r.operands[k].what, "shares bytes with the workspace");
  }
  return {};
}

}  // namespace rowsmith
