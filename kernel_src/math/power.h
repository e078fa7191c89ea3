// pow, by the rules of C's.
#pragma once

#include "math/exponential.h"
#include "math/logarithm.h"

namespace rs {

// A number as the unevaluated sum of two floats.
template <class T>
struct two_floats {
  T high;
  T low;
};

// log2(x·2^adjust) to about 2^-32 of itself, for a positive normal x. m lies near one of three centers c, so that
// s = (m - c)/(m + c) is small: log2(m) = log2(c) + 2/ln2·(s + s³/3 + s⁵/5 + ...). The first term is carried in two
// floats; log2(c) too, its higher one short enough for k + log2(c) to be exact.
template <class T>
RS_DEVICE two_floats<T> log2_in_two(T x, T adjust) {
  constexpr float two_log2e_high = 0x1.715476p+1f, two_log2e_low = 0x1.4ae0cp-25f;
  const binary_split<T> part = split_binary(x);
  const auto above = part.m > 1.19f, below = part.m < 0.84f;
  const auto by_center = [&](float lower, float one, float upper) RS_LAMBDA {
    return select(above, fill<T>(upper), select(below, fill<T>(lower), fill<T>(one)));
  };
  const T c = by_center(0x1.88p-1f, 1.0f, 0x1.4cp+0f);
  const T base = part.k + adjust + by_center(-0x1.8a88p-2f, 0.0f, 0x1.8008p-2f);
  const T base_low = by_center(-0x1.80abfcp-18f, 0.0f, 0x1.2b18bp-17f);

  const T sum = part.m + c, sum_low = part.m - (sum - c);
  const T inverse = reciprocal(sum);
  const T s = (part.m - c) * inverse;
  const T s_low = vfma(-s, sum_low, vfma(-s, sum, part.m - c)) * inverse;
  const T first = s * two_log2e_high;
  const T first_low =
      vfma(s, fill<T>(two_log2e_high), -first) + multiply_add(s, fill<T>(two_log2e_low), s_low * two_log2e_high);
  // (log2((1 + s)/(1 - s)) - 2/ln2·s) / s³ in s², within 2^-33.9 of the logarithm for |s| <= 0.0885.
  const T z = s * s;
  const T p = polynomial(z, 0x1.ec709ep-1f, 0x1.2773dep-1f, 0x1.ab133cp-2f);
  const T rest = multiply_add(z * s, p, first_low) + base_low;
  const T whole = base + first;  // |base| > |first| or base = 0: the difference below is exact
  const T low = (base - whole) + first + rest;
  const T high = whole + low;
  return {high, low - (high - whole)};
}

template <class T>
RS_DEVICE auto has_fraction(T magnitude) {
  return (magnitude < 0x1p23f) & ((magnitude + 0x1p23f) - 0x1p23f != magnitude);
}

// x^y for x, y that are neither NaN nor of a special kind: |x|^y, whatever the signs.
template <class T>
RS_DEVICE T power_of_magnitude(T a, T y) {
  const auto subnormal = a < 0x1p-126f;
  const two_floats<T> l = log2_in_two(select(subnormal, a * 0x1p24f, a), select(subnormal, fill<T>(-24.0f), T{}));
  const T high = select(a == 0.0f, fill<T>(-infinity), select(a < infinity, l.high, a));
  const T p = y * high;
  const T rest = multiply_add(y, l.low, vfma(y, high, -p)) * ln2_high;
  // Beyond ±160 (and for infinities, where the rest is NaN) the result is 0 or inf.
  const auto inside = vabs(p) < 160.0f;
  T bounded = select(p >= 160.0f, fill<T>(160.0f), p);
  bounded = select(p <= -160.0f, fill<T>(-160.0f), bounded);
  const scaled<T> e = exp2_scaled(bounded, select(inside, rest, T{}));
  return e.value * e.scale;
}

template <class T>
RS_DEVICE T m_pow(T x, T y) {
  const T a = vabs(x), b = vabs(y);
  T r = power_of_magnitude(a, y);
  // A negative base: the sign of an odd power, NaN for a power with a fraction (|x| = inf and 0 are their own).
  const auto odd = (b < 0x1p24f) & has_fraction(b * 0.5f);
  const auto fraction = has_fraction(b);
  r = select(fraction, r, select(odd, with_sign(r, x), r));
  r = select((x < 0.0f) & (a < infinity) & fraction, not_a_number<T>(), r);
  return select((x == 1.0f) | (y == 0.0f) | ((a == 1.0f) & (b == infinity)), fill<T>(1.0f), r);
}

}  // namespace rs
