// random: element i of a seeded sequence, from its counter alone, so that threads may draw any part of it. Only exact
// IEEE operations are used: a seed gives the same bits on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "rowsmith/status.h"

namespace rowsmith::cli {

struct distribution {
  enum class shape { normal, uniform } kind = shape::normal;
  double a = 0;  // mean, or the low end
  double b = 1;  // standard deviation, or the high end
};

// "normal:MEAN:STD", "uniform:LO:HI"; "normal" and "uniform" alone are :0:1.
result<distribution> parse_distribution(const std::string& text);
std::string to_string(const distribution& d);

// Elements 2 * pair and 2 * pair + 1 of the sequence.
struct two {
  double first, second;
};
two draw(const distribution& d, std::uint64_t seed, std::uint64_t pair) noexcept;

}  // namespace rowsmith::cli
