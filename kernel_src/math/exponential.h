// exp and expm1, and 2^p in a form whose subnormal values are rounded once.
#pragma once

#include "math/bits.h"

namespace rs {

// 2^p·(1 + r) = value·scale. The value is a normal number wherever the product is not 0, so that a caller may multiply
// it by more before the scale makes it subnormal.
template <class T>
struct scaled {
  T value;
  T scale;  // 1 or a power of two
};

// For p <= 125 (0 below -189) and |r| so small that 1 + r stands for e^r.
template <class T>
RS_DEVICE scaled<T> exp2_scaled_down(T p, T r) {
  const T e = vexp2(p + select(p < -125.0f, fill<T>(64.0f), T{}));
  return {vfma(e, r, e), select(p < -125.0f, fill<T>(0x1p-64f), fill<T>(1.0f))};
}

// For |p| <= 189.
template <class T>
RS_DEVICE scaled<T> exp2_scaled(T p, T r) {
  const T shift = select(p < -125.0f, fill<T>(64.0f), select(p > 125.0f, fill<T>(-64.0f), T{}));
  const T scale = select(p < -125.0f, fill<T>(0x1p-64f), select(p > 125.0f, fill<T>(0x1p64f), fill<T>(1.0f)));
  const T e = vexp2(p + shift);
  return {vfma(e, r, e), scale};
}

// x - p·ln2 for p = x·log2(e) rounded: what 2^p lacks of e^x. (Cody and Waite's subtraction in two parts; p need not be
// a whole number for it.)
template <class T>
RS_DEVICE T exponent_rest(T x, T p) {
  return vfma(p, fill<T>(-ln2_low), vfma(p, fill<T>(-ln2_high), x));
}

template <class T>
RS_DEVICE T m_exp(T x) {
  // Beyond these the result is inf and 0. NaN passes.
  x = select(x > 89.0f, fill<T>(89.0f), x);
  x = select(x < -104.0f, fill<T>(-104.0f), x);
  const T p = x * log2e_high;
  const scaled<T> e = exp2_scaled(p, exponent_rest(x, p));
  return e.value * e.scale;
}

// e^x - 1 = 2^n·(e^r - 1) + (2^n - 1), x = n·ln2 + r (Cody and Waite), all of it halved so that 2^n is finite for
// n = 128.
template <class T>
RS_DEVICE T m_expm1(T x) {
  T v = select(x > 89.0f, fill<T>(89.0f), x);
  v = select(v < -25.0f, fill<T>(-25.0f), v);
  const T shifted = v * log2e_high + 0x1.8p23f;  // its low bits are n
  const T n = shifted - 0x1.8p23f;
  const T r = exponent_rest(v, n);
  // (e^r - 1 - r) / r² on |r| <= 0.35, within 2^-28 of e^r - 1.
  const T p = polynomial(r, 0x1p-1f, 0x1.555552p-3f, 0x1.555566p-5f, 0x1.111c5cp-7f, 0x1.6cd5bp-10f, 0x1.8d017ap-13f);
  const T near = multiply_add(r * r, p, r);
  const T half_power = as_float((as_bits(shifted) + 126u) << 23);
  const T y = 2.0f * vfma(half_power, near, half_power - 0.5f);
  return select(vabs(x) < 0x1p-24f, x, y);  // keeps -0, and subnormals whole
}

}  // namespace rs
