#include "inspect/aliasing.h"

#include "inspect/overlap.h"
#include "inspect/refusal.h"

namespace rowsmith {

namespace {

bool same_window(const tensor_view& a, const tensor_view& b) noexcept {
  if (a.data != b.data || size_of(a.dtype) != size_of(b.dtype)) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.shape[i] > 1 && a.stride[i] != b.stride[i]) return false;
  }
  return true;
}

// Two dense tensors: two ranges of bytes.
bool ranges_meet(const tensor_view& a, const tensor_view& b, std::int64_t elements) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(a.data), second = reinterpret_cast<std::uintptr_t>(b.data);
  const auto count = static_cast<std::uintptr_t>(elements);
  return first < second + count * size_of(b.dtype) && second < first + count * size_of(a.dtype);
}

}  // namespace

status check_aliasing(const request& r, unsigned dense, std::int64_t elements, bool* in_place) noexcept {
  for (int i = 0; i < r.operand_count; ++i) {
    const operand& out = r.operands[i];
    if (!is_output(out.what)) continue;
    const bool out_dense = (dense >> i & 1) != 0;
    if (!out_dense && overlaps_itself(out.view)) {
      return refuse(out.what, "an output's elements overlap: its strides let different indices share memory");
    }
    for (int k = 0; k < r.operand_count; ++k) {
      const operand& other = r.operands[k];
      if (k == i || (is_output(other.what) && k < i)) continue;
      const bool both_dense = out_dense && (dense >> k & 1) != 0;
      if (both_dense && !ranges_meet(out.view, other.view, elements)) continue;
      if (!is_output(other.what) && same_window(out.view, other.view)) {
        *in_place = true;
      } else if (overlap(out.view, other.view)) {
        return refuse(out.what,
                      "overlaps {}: allowed is the very same base, strides and element size, or no common byte",
                      name_of(other.what));
      }
    }
  }
  return {};
}

}  // namespace rowsmith
