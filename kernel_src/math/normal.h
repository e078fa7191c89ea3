// erf, and gelu by the normal distribution.
#pragma once

#include "math/exponential.h"

namespace rs {

template <class T>
RS_DEVICE T m_erf(T x) {
  const T a = vabs(x);
  // erf(a)/a - 1 in a², within 2^-25.6 on [0, 0.9].
  const T z = a * a;
  const T p =
      polynomial(z, 0x1.06eba6p-3f, -0x1.8126ep-2f, 0x1.ce1976p-4f, -0x1.b67d4cp-6f, 0x1.46e87ep-8f, -0x1.38c1f2p-11f);
  const T small = multiply_add(a, p, a);
  // log2(1 - erf(a)), within 2^-29 of erf(a) on [0.9, 4].
  const T b = vmin(a, fill<T>(4.0f));
  const T q = polynomial(b, -0x1.f79826p-13f, -0x1.a0877ep+0f, -0x1.d6823ep-1f, -0x1.339e26p-3f, 0x1.07bb5p-5f,
                         -0x1.21d4dcp-8f, 0x1.2bd91ap-12f);
  return with_sign(select(a >= 0.9f, 1.0f - vexp2(q), small), x);  // NaN is in `small`
}

// x·Φ(x) = max(x, 0) - a·Φ(-a), a = |x|. Φ(-a) = e^(-a²/2)·g(a) with a smooth g, so that the tail keeps its relative
// accuracy down to the subnormals. gelu(-inf) = -0, the limit.
template <class T>
RS_DEVICE T m_gelu_erf(T x) {
  const T a = vmin(vabs(x), fill<T>(15.0f));
  // u = a/(a + 4), corrected by what is left of a - u·(a + 4): neither the sum's rounding nor the reciprocal's may
  // show.
  const T t = reciprocal(a + 4.0f);
  const T nearly = a * t;
  const T u = multiply_add(t, vfma(-nearly, a, vfma(nearly, fill<T>(-4.0f), a)), nearly);
  // (a + 4)·g(a) in 2u - 1, within 2^-25.7 on [0, 15].
  const T h = polynomial(multiply_add(u, fill<T>(2.0f), fill<T>(-1.0f)), 0x1.82b4bcp-1f, -0x1.373e3ap-1f,
                         0x1.8c6d8ap-2f, -0x1.7dffbep-3f, 0x1.eed93ep-5f, -0x1.ed42d8p-8f, -0x1.cd6e76p-9f,
                         0x1.9b34bep-10f, 0x1.896244p-13f, -0x1.0af292p-13f);
  const T s = a * a, s_low = vfma(a, a, -s);
  const T p = s * (-0.5f * log2e_high);
  const T r = multiply_add(s_low, fill<T>(-0.5f), exponent_rest(s * -0.5f, p));
  const scaled<T> e = exp2_scaled_down(p, r);
  // Not select(x < 0, -0, x): compilers take that for a maximum, and then +0 for -0.
  const T positive = with_sign(select(x < 0.0f, T{}, x), x);
  return multiply_add(-u * h * e.value, e.scale, positive);
}

}  // namespace rs
