// thresholds: numbers that facts are measured against, the same for every card, so that a builder without the card knows
// what it will ask for.
#pragma once

#include <cstdint>

namespace rowsmith {

constexpr std::uint64_t widest_access = 16;  // bytes

// fact_few_rows: at most so many rows, of at least so many elements.
constexpr std::int64_t few_rows = 32;
constexpr std::int64_t long_row = 16384;

}  // namespace rowsmith
