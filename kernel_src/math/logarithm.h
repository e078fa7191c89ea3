// log and log1p.
#pragma once

#include "math/bits.h"

namespace rs {

// x = 2^k·m with m in [√½, √2), for a positive normal x. Other x give numbers without meaning, nothing worse.
template <class T>
struct binary_split {
  T m;
  T k;
  T inverse_power;  // 2^-k, where |k| <= 126
};

template <class T>
RS_DEVICE binary_split<T> split_binary(T x) {
  const auto bits = as_bits(x);
  const auto above = bits - 0x3f3504f3u;  // the bits of √½
  const auto power = above & 0xff800000u;
  // The biased exponent becomes a float as the low bits of 2^23.
  const T biased = as_float(((above + 0x3f800000u) >> 23) | 0x4b000000u);
  return {as_float(bits - power), biased - (0x1p23f + 127.0f), as_float(0x3f800000u - power)};
}

// log(2^k·(1 + f)) for f in [√½ - 1, √2 - 1].
template <class T>
RS_DEVICE T log_of_parts(T k, T f) {
  // (log(1 + f) - f) / f², within 2^-27.6 of log(1 + f).
  const T p = polynomial(f, -0x1.fffff8p-2f, 0x1.55555p-2f, -0x1.000426p-2f, 0x1.99a3f2p-3f, -0x1.54276ep-3f,
                         0x1.22719ap-3f, -0x1.0f375ap-3f, 0x1.084872p-3f, -0x1.38308p-4f);
  const T rest = multiply_add(k, fill<T>(ln2_low), f * f * p);
  return vfma(k, fill<T>(ln2_high), f + rest);
}

// What log gives at x where there is no finite answer: inf and NaN stay, 0 gives -inf, less gives NaN.
template <class T>
RS_DEVICE T log_at_edges(T x, T finite) {
  const T y = select(x < infinity, finite, x);  // NaN and inf
  return select(x > 0.0f, y, select(x == 0.0f, fill<T>(-infinity), not_a_number<T>()));
}

template <class T>
RS_DEVICE T m_log(T x) {
  const auto subnormal = x < 0x1p-126f;
  const binary_split<T> s = split_binary(select(subnormal, x * 0x1p24f, x));
  return log_at_edges(x, log_of_parts(s.k - select(subnormal, fill<T>(24.0f), T{}), s.m - 1.0f));
}

// 1 + x decides on k alone; what its rounding lost never enters: 1 + f = 2^-k + x·2^-k.
template <class T>
RS_DEVICE T m_log1p(T x) {
  const auto large = x > 0x1p30f;  // 1 + x is x, and 2^-k may be no normal number
  const T u = 1.0f + x;
  const binary_split<T> s = split_binary(u);
  const T f = select(large, s.m - 1.0f, vfma(x, s.inverse_power, s.inverse_power - 1.0f));
  const T y = log_at_edges(u, log_of_parts(s.k, f));
  return select(vabs(x) < 0x1p-24f, x, y);  // keeps -0, and subnormals whole
}

}  // namespace rs
