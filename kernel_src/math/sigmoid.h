// tanh, and what is a number times the logistic function: sigmoid, silu, gelu by tanh.
#pragma once

#include "math/exponential.h"

namespace rs {

// y·σ(v), where e^-|v| = 2^p·(1 + r) and `negative` tells v's sign: σ(v) is e/(1 + e) for negative v, 1/(1 + e) for
// others. The quotient is corrected by what is left of the dividend, so that neither the sum's rounding nor the
// reciprocal's shows. y and the scale come last: a subnormal result is rounded once.
template <class M, class T>
RS_DEVICE T times_sigmoid(T y, M negative, T p, T r) {
  const scaled<T> power = exp2_scaled_down(p, r);
  const T e = power.value * power.scale;
  const T dividend = select(negative, power.value, fill<T>(1.0f));
  const T inverse = reciprocal(e + 1.0f);
  const T nearly = dividend * inverse;
  const T left = vfma(-nearly, e, dividend - nearly);  // the difference is exact, for e <= 1
  return y * multiply_add(left, inverse, nearly) * select(negative, power.scale, fill<T>(1.0f));
}

// Where x is beyond reach, its bound stands for it: the result is 0 or y.
template <class T>
RS_DEVICE T m_sigmoid(T x) {
  const T a = vmin(vabs(x), fill<T>(105.0f));
  const T p = a * -log2e_high;
  return times_sigmoid(select(x == x, fill<T>(1.0f), x), x < 0.0f, p, exponent_rest(-a, p));
}

// silu(-inf) = -0, the limit.
template <class T>
RS_DEVICE T m_silu(T x) {
  const T a = vmin(vabs(x), fill<T>(110.0f));
  const T p = a * -log2e_high;
  return times_sigmoid(select(x < 0.0f, -a, x), x < 0.0f, p, exponent_rest(-a, p));
}

// x/2·(1 + tanh u) = x·σ(2u), u = √(2/π)·(x + 0.044715·x³). The exponent 2u·log2(e) = x·w, w = c1 + c3·x², is carried
// with its rounding errors: an error of an ulp in it would be 100 ulp of a result in the tail. c1_high has bits to
// spare, so that c1_high - w is exact.
template <class T>
RS_DEVICE T m_gelu_tanh(T x) {
  constexpr float c1_high = 0x1.26aecp+1f, c1_low = 0x1.0de73ap-22f;
  constexpr float c3_high = 0x1.a5a7dp-4f, c3_low = -0x1.151aaep-29f;
  const T a = vmin(vabs(x), fill<T>(12.0f));
  const T s = a * a, s_low = vfma(a, a, -s);
  const T w = vfma(s, fill<T>(c3_high), fill<T>(c1_high));
  const T w_low = vfma(s, fill<T>(c3_high), c1_high - w) +
                  multiply_add(s_low, fill<T>(c3_high), multiply_add(s, fill<T>(c3_low), fill<T>(c1_low)));
  const T p = -a * w;
  const T r = multiply_add(-a, w_low, vfma(-a, w, -p)) * ln2_high;
  return times_sigmoid(select(x < 0.0f, -a, x), x < 0.0f, p, r);
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
