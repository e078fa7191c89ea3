// numbers: IEEE arithmetic as gfx9 does it: halves, denormals, minimum and maximum with NaNs. Branch-free where it runs
// per lane, so that loops over lanes become vector code.
#pragma once

#include <cmath>
#include <limits>

#include "lanes.h"

namespace rowsmith::gcn {

// Exact.
inline float half_to_float(u32 half) {
  const u32 magnitude = (half & 0x7fff) << 13;
  u32 bits = as_u32(as_f32(magnitude) * 0x1p112f);  // re-biases the exponent; right for denormals as well
  bits |= magnitude >= 0x0f800000u ? 0x7f800000u : 0;
  return as_f32(bits | (half & 0x8000) << 16);
}

// To nearest, ties to even.
inline u32 float_to_half(float value) {
  const u32 bits = as_u32(value), magnitude = bits & 0x7fffffffu;
  const u32 normal = (magnitude - 0x38000000u + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const u32 denormal = as_u32(as_f32(magnitude) + 0.5f) - 0x3f000000u;  // an ulp of 0.5 is the smallest half
  u32 half = magnitude < 0x38800000u ? denormal : normal;
  half = magnitude >= 0x477ff000u ? 0x7c00u : half;
  half = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ff) : half;
  return half | ((bits >> 16) & 0x8000);
}

inline u32 float_to_half_toward_zero(float value) {
  const u32 bits = as_u32(value), magnitude = bits & 0x7fffffffu;
  u32 half = (magnitude - 0x38000000u) >> 13;
  if (magnitude < 0x38800000u) half = static_cast<u32>(as_f32(magnitude) * 0x1p24f);
  if (magnitude >= 0x47800000u) half = magnitude < 0x7f800000u ? 0x7bffu : 0x7c00u;
  if (magnitude > 0x7f800000u) half = 0x7e00u | ((magnitude >> 13) & 0x3ff);
  return half | ((bits >> 16) & 0x8000);
}

// Rounds to odd, so that rounding once more to a half is as if it had been done at once.
inline float to_odd_float(double value) {
  float f = static_cast<float>(value);
  if (!(std::fabs(value) <= std::numeric_limits<float>::max()) || static_cast<double>(f) == value) return f;
  u32 bits = as_u32(f);
  if (std::fabs(static_cast<double>(f)) > std::fabs(value)) --bits;
  return as_f32(bits | 1);
}

// a * b + c for halves held as floats, rounded once to a half. The product is exact; the sum's error is found by the
// two-sum identity and turned into a sticky bit.
inline u32 half_fma(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, other = c, sum = product + other;
  const double back = sum - product, error = (product - (sum - back)) + (other - back);
  double odd = sum;
  if (error != 0 && std::isfinite(sum) && !(as_u64(sum) & 1)) {
    odd = as_f64(as_u64(sum) + ((error > 0) == (sum > 0) ? 1 : u64(-1)));
  }
  return float_to_half(to_odd_float(odd));
}

inline float flush(float value) {
  const u32 bits = as_u32(value);
  return as_f32((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

// A half below the smallest normal one becomes zero; `value` is a half held as a float.
inline float flush_half(float value) { return std::fabs(value) < 0x1p-14f ? std::copysign(0.0f, value) : value; }

inline bool is_nan(float value) { return value != value; }
inline bool is_signaling(float value) {
  const u32 bits = as_u32(value);
  return (bits & 0x7fffffffu) > 0x7f800000u && (bits & 0x00400000u) == 0;
}
inline float quiet(float value) { return as_f32(as_u32(value) | 0x00400000u); }

// The number where the other is NaN; -0 is below +0.
inline float greater_of(float a, float b) {
  const float larger = a > b ? a : b;
  const float tie = as_f32(as_u32(a) & as_u32(b));  // of the zeros, +0 unless both are -0
  const float ordered = a == b ? tie : larger;
  return b != b ? a : a != a ? b : ordered;
}
inline float lesser_of(float a, float b) {
  const float smaller = a < b ? a : b;
  const float tie = as_f32(as_u32(a) | as_u32(b));
  const float ordered = a == b ? tie : smaller;
  return b != b ? a : a != a ? b : ordered;
}
inline float median_of(float a, float b, float c) {
  const float low = lesser_of(a, b), high = greater_of(a, b);
  const float middle = greater_of(low, lesser_of(high, c));
  return is_nan(a) || is_nan(b) || is_nan(c) ? lesser_of(low, c) : middle;
}

template <class T>
inline T median_of(T a, T b, T c) {
  const T low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

template <class To, class From>
inline To saturate(From value) {
  if (value != value) return 0;
  if (value <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (value >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

inline u32 reverse_bits(u32 value) {
  value = (value & 0x55555555u) << 1 | (value >> 1 & 0x55555555u);
  value = (value & 0x33333333u) << 2 | (value >> 2 & 0x33333333u);
  value = (value & 0x0f0f0f0fu) << 4 | (value >> 4 & 0x0f0f0f0fu);
  return __builtin_bswap32(value);
}

}  // namespace rowsmith::gcn
