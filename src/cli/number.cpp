#include "cli/number.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rowsmith::cli {

namespace {

std::uint32_t bits_of(float f) noexcept {
  std::uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return u;
}

float float_of(std::uint32_t u) noexcept {
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

}  // namespace

float from_bf16(std::uint16_t bits) noexcept { return float_of(std::uint32_t{bits} << 16); }

std::uint16_t to_bf16(float value) noexcept {
  const std::uint32_t u = bits_of(value);
  if (value != value)
    return static_cast<std::uint16_t>((u >> 16) | 0x40);  // stays a NaN when its low half held the bits
  return static_cast<std::uint16_t>((u + 0x7FFF + ((u >> 16) & 1)) >> 16);
}

float from_f16(std::uint16_t bits) noexcept {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t rest = bits & 0x7FFFu;
  if (rest >= 0x7C00) return float_of(sign | 0x7F800000 | ((rest & 0x3FF) << 13));
  // Moved into place, the exponent is 112 too low; a product by 2^112 is exact and makes subnormals right as well.
  return float_of(sign | bits_of(float_of(rest << 13) * 0x1p112f));
}

std::uint16_t to_f16(float value) noexcept {
  const std::uint32_t u = bits_of(value);
  const auto sign = static_cast<std::uint16_t>((u >> 16) & 0x8000);
  const std::uint32_t magnitude = u & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return sign | 0x7E00;
  if (magnitude >= 0x477FF000) return sign | 0x7C00;  // from 65520 on: rounds to infinity
  if (magnitude < 0x38800000) {
    // Below 2^-14 the ulp is 2^-24 everywhere: adding 0.5, whose float ulp is 2^-24, rounds exactly there.
    return static_cast<std::uint16_t>(sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f)));
  }
  const std::uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

float load(const void* memory, dtype type, std::int64_t i) noexcept {
  if (type == dtype::f32) return static_cast<const float*>(memory)[i];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(memory)[i];
  return type == dtype::f16 ? from_f16(bits) : from_bf16(bits);
}

void store(void* memory, dtype type, std::int64_t i, float value) noexcept {
  if (type == dtype::f32) {
    static_cast<float*>(memory)[i] = value;
  } else {
    static_cast<std::uint16_t*>(memory)[i] = type == dtype::f16 ? to_f16(value) : to_bf16(value);
  }
}

double half_ulp(dtype type, double value) noexcept {
  const int digits = type == dtype::f32 ? 24 : type == dtype::f16 ? 11 : 8;
  const int lowest = type == dtype::f16 ? -13 : -125;  // exponent of the smallest normal number, as frexp counts
  int exponent = lowest;
  if (value != 0) std::frexp(value, &exponent);
  return std::ldexp(0.5, std::max(exponent, lowest) - digits);
}

}  // namespace rowsmith::cli
