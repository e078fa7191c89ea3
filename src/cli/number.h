// number: elements of the storage types as float, and back with rounding to nearest even.
#pragma once

#include <cstdint>

#include "rowsmith/tensor_view.h"

namespace rowsmith::cli {

float from_f16(std::uint16_t bits) noexcept;
float from_bf16(std::uint16_t bits) noexcept;
std::uint16_t to_f16(float value) noexcept;
std::uint16_t to_bf16(float value) noexcept;

// Element `i` of memory that holds f32, f16 or bf16.
float load(const void* memory, dtype type, std::int64_t i) noexcept;
void store(void* memory, dtype type, std::int64_t i, float value) noexcept;

// Half of the distance from |value| to the next number of the type: what one rounding may cost.
double half_ulp(dtype type, double value) noexcept;

constexpr bool is_float(dtype t) noexcept { return t == dtype::f32 || t == dtype::f16 || t == dtype::bf16; }

}  // namespace rowsmith::cli
