// thresholds: numbers that facts are measured against, the same for every card, so that a builder without the card
// knows what it will ask for.
#pragma once

#include <cstdint>

#include "rowsmith/tensor_view.h"

namespace rowsmith {

constexpr std::uint64_t widest_access = 16;  // bytes

// fact_few: at most so many rows, of at least so many elements. Of an op that reduces nothing: at most so many
// elements.
constexpr std::int64_t few_rows = 32;
constexpr std::int64_t long_row = 16384;
constexpr std::int64_t few_elements = 1 << 20;

// A host has no idle multiprocessors, and need not tell the two apart.
inline bool has_few_elements(device_kind vendor, std::int64_t elements) noexcept {
  return vendor != device_kind::host && elements <= few_elements;
}

}  // namespace rowsmith
