// byte_span: where the bytes of a view lie, seen from the address of its element 0.
#pragma once

#include <cstdint>

#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct byte_span {
  std::int64_t low = 0;   // of the lowest element's first byte; at most 0
  std::int64_t high = 0;  // behind the highest element's last byte
};

// REQUIRES: a view that was validated, with no extent of 0.
inline byte_span byte_span_of(const tensor_view& v) noexcept {
  const auto size = static_cast<std::int64_t>(size_of(v.dtype));
  byte_span s{0, size};
  for (int i = 0; i < v.rank; ++i) {
    const std::int64_t reach = v.stride[i] * (v.shape[i] - 1) * size;
    (reach < 0 ? s.low : s.high) += reach;
  }
  return s;
}

}  // namespace rowsmith
