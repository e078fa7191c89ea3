// values: inputs for row ops.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace rowsmith::test {

// n draws of N(0, sigma), another piece of one fixed sequence for every seed.
inline std::vector<float> normal(std::int64_t n, float sigma = 1, unsigned seed = 0) {
  static const std::vector<float> pool = [] {
    std::mt19937 random(1);
    std::normal_distribution<float> draw;
    std::vector<float> all(300007);  // a prime, above the widths in use: rows differ
    for (float& v : all) v = draw(random);
    return all;
  }();
  std::vector<float> values(static_cast<std::size_t>(n));
  std::size_t at = seed * 7919u % pool.size();
  for (float& v : values) {
    v = pool[at] * sigma;
    if (++at == pool.size()) at = 0;
  }
  return values;
}

inline std::vector<float> constant(std::int64_t n, float value) {
  return std::vector<float>(static_cast<std::size_t>(n), value);
}

constexpr float infinity = INFINITY;
constexpr float not_a_number = NAN;

}  // namespace rowsmith::test
