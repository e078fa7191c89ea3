// element: storage types on the CPU: reading, writing (rounded to nearest even), and half a unit in the last place.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "rowsmith/tensor_view.h"

namespace rowsmith::reference {
inline namespace storage {

inline float half_to_float(std::uint16_t h) noexcept {
  const std::uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float tiny = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -tiny : tiny;
}

inline std::uint16_t float_to_half(float v) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return sign | 0x7e00;
  if (size >= 0x477ff000u) return sign | 0x7c00;  // 65520 and up
  if (size < 0x38800000u) {                       // below 2^-14: whole multiples of 2^-24, to even by the current mode
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(std::fabs(v), 24))));
  }
  const std::uint32_t rounded = size + 0xfffu + (size >> 13 & 1);
  return static_cast<std::uint16_t>(sign | (rounded - (112u << 23)) >> 13);
}

inline float bfloat_to_float(std::uint16_t b) noexcept { return std::bit_cast<float>(std::uint32_t{b} << 16); }

inline std::uint16_t float_to_bfloat(float v) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
  if (std::isnan(v)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

// The element at `p`, which need not be aligned.
template <class T>
T bits_at(const void* p) noexcept {
  T v;
  return std::memcpy(&v, p, sizeof v), v;
}

inline float get(const void* p, dtype t) noexcept {
  if (t == dtype::b8) return bits_at<std::uint8_t>(p);
  if (t == dtype::i32) return static_cast<float>(bits_at<std::int32_t>(p));
  if (t == dtype::i64) return static_cast<float>(bits_at<std::int64_t>(p));
  if (t == dtype::f32) {
    float v;
    return std::memcpy(&v, p, sizeof v), v;
  }
  std::uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return t == dtype::f16 ? half_to_float(v) : bfloat_to_float(v);
}

template <class T>
void put_number(void* p, float v) noexcept {
  const T number = static_cast<T>(v);
  std::memcpy(p, &number, sizeof number);
}

inline void put(void* p, dtype t, float v) noexcept {
  if (t == dtype::b8) return put_number<std::uint8_t>(p, v);
  if (t == dtype::i32) return put_number<std::int32_t>(p, v);
  if (t == dtype::i64) return put_number<std::int64_t>(p, v);
  if (t == dtype::f32) {
    std::memcpy(p, &v, sizeof v);
    return;
  }
  const std::uint16_t bits = t == dtype::f16 ? float_to_half(v) : float_to_bfloat(v);
  std::memcpy(p, &bits, sizeof bits);
}

// A whole number, of type i32, i64 or b8.
inline void put_whole(void* p, dtype t, std::int64_t v) noexcept {
  if (t == dtype::i64) {
    std::memcpy(p, &v, sizeof v);
    return;
  }
  if (t == dtype::b8) {
    *static_cast<unsigned char*>(p) = v != 0;
    return;
  }
  const auto narrow = static_cast<std::int32_t>(v);
  std::memcpy(p, &narrow, sizeof narrow);
}

// Half a unit in the last place of the type, at y.
inline double half_ulp(dtype t, double y) noexcept {
  const int fraction = t == dtype::f32 ? 23 : t == dtype::f16 ? 10 : 7;
  const int least = t == dtype::f16 ? -14 : -126;
  const int exponent = y == 0 ? least : std::max(std::ilogb(y), least);
  return std::ldexp(0.5, exponent - fraction);
}

}  // namespace storage
}  // namespace rowsmith::reference
