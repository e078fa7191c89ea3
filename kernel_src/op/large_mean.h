// large_mean: mean and variance of a row whose squared deviations, or the deviations themselves, are beyond fp32: +inf
// is the variance of finite elements, and their mean is finite. A NaN or an infinity among them makes both NaN.
#pragma once

#include "math/bits.h"
#include "row/expr.h"

namespace rs {

// The share of an element in half of (mean - first); of finite elements neither it nor the sum of all is infinite.
struct half_of_mean {
  float half_first;
  float share;
  template <class T>
  RS_MEMBER T operator()(T x) const {
    return (x * 0.5f - half_first) * share;
  }
};

// Of the sum of half_of_mean: 0, or NaN where an element is not finite.
RS_DEVICE float nothing_or_nan(float half_mean) { return half_mean * 0.0f; }

RS_DEVICE float large_mean(float first, float half_mean) {
  return (first * 0.5f + half_mean) * 2.0f + nothing_or_nan(half_mean);
}

}  // namespace rs
