// tanh, and what is a number times the logistic function: sigmoid, silu, gelu by tanh.
#pragma once

#include "math/exponential.h"

namespace rs {

// y·σ(v), where e^-v = 2^p·(1 + r), p <= 190. A power far above the 1 beside it is scaled down, so that it is finite,
// and the result with it: that a result is subnormal shows in its last rounding alone.
template <class T>
RS_DEVICE T times_sigmoid(T y, T p, T r) {
  const auto far = p > 64.0f;
  const T one = select(far, fill<T>(0x1p-64f), fill<T>(1.0f));
  const T power = vexp2(select(far, p - 64.0f, p));
  return y * reciprocal(power + vfma(power, r, one)) * one;
}

// Where x is beyond reach, a bound stands for it: the result is 0 or y. NaN passes.
template <class T>
RS_DEVICE T m_sigmoid(T x) {
  const T v = select(x > 131.0f, fill<T>(131.0f), at_least(x, fill<T>(-131.0f)));
  const T p = v * -log2e_high;
  return times_sigmoid(fill<T>(1.0f), p, exponent_rest(-v, p));
}

// silu(-inf) = -0, the limit.
template <class T>
RS_DEVICE T m_silu(T x) {
  const T y = at_least(x, fill<T>(-131.0f)), v = vmin(y, fill<T>(131.0f));
  const T p = v * -log2e_high;
  return times_sigmoid(y, p, exponent_rest(-v, p));
}

// x/2·(1 + tanh u) = x·σ(2u), u = √(2/π)·(x + 0.044715·x³). The exponent 2u·log2(e) = x·w, w = c1 + c3·x², is carried
// with its rounding errors: an error of an ulp in it would be 100 ulp of a result in the tail. c1_high has bits to
// spare, so that c1_high - w is exact.
template <class T>
RS_DEVICE T m_gelu_tanh(T x) {
  constexpr float c1_high = 0x1.26aecp+1f, c1_low = 0x1.0de73ap-22f;
  constexpr float c3_high = 0x1.a5a7dp-4f, c3_low = -0x1.151aaep-29f;
  const T y = at_least(x, fill<T>(-11.5f)), v = vmin(y, fill<T>(11.5f));
  const T s = v * v, s_low = vfma(v, v, -s);
  const T w = vfma(s, fill<T>(c3_high), fill<T>(c1_high));
  const T w_low = vfma(s, fill<T>(c3_high), c1_high - w) +
                  multiply_add(s_low, fill<T>(c3_high), multiply_add(s, fill<T>(c3_low), fill<T>(c1_low)));
  const T p = -v * w;
  const T r = multiply_add(-v, w_low, vfma(-v, w, -p)) * ln2_high;
  return times_sigmoid(y, p, r);
}

template <class T>
RS_DEVICE T m_tanh(T x) {
  const T a = vabs(x);
  // (tanh(a) - a) / a³ in a², within 2^-27.6 of tanh(a) on [0, 0.6].
  const T z = a * a;
  const T p = polynomial(z, -0x1.55553ep-2f, 0x1.1109aep-3f, -0x1.b898ep-5f, 0x1.54b8a6p-6f, -0x1.82586cp-8f);
  const T small = multiply_add(a * z, p, a);
  const T e = vexp2(vmin(a, fill<T>(10.0f)) * (2 * log2e_high));
  const T large = multiply_add(reciprocal(e + 1.0f), fill<T>(-2.0f), fill<T>(1.0f));
  return with_sign(select(a >= 0.6f, large, small), x);  // NaN is in `small`
}

}  // namespace rs
