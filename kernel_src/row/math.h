// Elementwise mathematics, the same names on a float and on a native vector of the host. Every function is within 4 ulp
// of the true value, keeps subnormal numbers, gives NaN for NaN, and 0 its sign (relu gives +0 for all below).
// That counts an exponential that is off by 2.5·2^-24 of itself and a reciprocal off by an ulp, as GPUs have them.
#pragma once

#include "math/bits.h"
#include "math/exponential.h"
#include "math/logarithm.h"
#include "math/normal.h"
#include "math/power.h"
#include "math/sigmoid.h"
#include "row/rounding.h"

namespace rs {

template <class T>
RS_DEVICE auto is_nan(T x) {
  return x != x;
}

template <class T>
RS_DEVICE T m_abs(T x) {
  return vabs(x);
}

// NaN where either is; -0 is less than +0.
template <class T>
RS_DEVICE T m_min(T a, T b) {
  const T equal = as_float(as_bits(a) | as_bits(b));  // zeros of two signs, or twice the same
  return select(a == b, equal, select(is_nan(a), a, select(is_nan(b), b, vmin(a, b))));
}

template <class T>
RS_DEVICE T m_max(T a, T b) {
  const T equal = as_float(as_bits(a) & as_bits(b));
  return select(a == b, equal, select(is_nan(a), a, select(is_nan(b), b, vmax(a, b))));
}

template <class T>
RS_DEVICE T m_relu(T x) {
  return select(x <= 0.0f, T{}, x);
}

template <class T>
RS_DEVICE T m_sqrt(T x) {
  return vsqrt(x);
}

template <class T>
RS_DEVICE T m_rsqrt(T x) {
  return vrsqrt(x);
}

template <class T>
RS_DEVICE T m_reciprocal(T x) {
  return 1.0f / x;
}

}  // namespace rs
