// causal_view: a causal mask as an operand without memory: the number of the last key that a query sees.
#pragma once

#include <algorithm>

#include "rowsmith/tensor_view.h"

namespace rowsmith {

// Of a softmax's output `y` whose keys lie along `axis`: the queries lie along the axis before it, and query q sees the
// keys up to q + offset.
inline tensor_view causal_view(const tensor_view& y, int axis, std::int64_t offset) noexcept {
  constexpr std::int64_t far = std::int64_t{1} << 61;  // further than any tensor reaches, and no sum overflows
  tensor_view v = y;
  v.data = reinterpret_cast<void*>(std::clamp(offset, -far, far));
  v.dtype = dtype::i64;
  const int keys = axis < 0 ? axis + y.rank : axis;
  for (int i = 0; i < max_rank; ++i) v.stride[i] = i == keys - 1 ? 1 : 0;
  return v;
}

}  // namespace rowsmith
