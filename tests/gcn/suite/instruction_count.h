// instruction_count: what a call executes on a simulated card, wave by wave.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rowsmith/ops.h"
#include "rowsmith/status.h"

namespace rowsmith::test {

struct instruction_count {
  std::string strategy;   // of its kernel
  std::int64_t rows = 0;  // that were run
  std::uint64_t waves = 0, instructions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> classes;  // those that occur

  double per_wave() const { return waves == 0 ? 0 : static_cast<double>(instructions) / static_cast<double>(waves); }
  // "174.0 a wave: 4 salu, …"
  std::string text() const;
};

// Softmax of x into y, dense, on the double's first device: at most so many rows of the shape as keep it short, each
// wave at its first one.
result<instruction_count> count_softmax(std::int64_t rows, std::int64_t width, dtype in, dtype out,
                                        const softmax_options& options);

}  // namespace rowsmith::test
