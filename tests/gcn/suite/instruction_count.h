// instruction_count: what the kernels of a call execute on a simulated card, wave by wave.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/op_words.h"
#include "rowsmith/status.h"

namespace rowsmith::test {

struct kernel_count {
  std::string kernel;
  std::uint64_t waves = 0, instructions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> classes;  // those that occur

  double per_wave() const { return waves == 0 ? 0 : static_cast<double>(instructions) / static_cast<double>(waves); }
};

struct call_count {
  std::int64_t rows = 0;              // that were run
  std::vector<kernel_count> kernels;  // in the order of their launches

  // A line each: "rs_softmax_lanes: 256 rows, 256 waves, 174.0 a wave: 24.0 salu, …".
  std::string text() const;
};

// A call on the double's first device, of drawn inputs: at most so many along the shape's first axis as keep it short,
// each wave at its first row. The words are those of `rowsmith explain`.
result<call_count> count_call(cli::op_words words);

// "softmax --shape 4096x1024 --dtype f16" as words; throws CLI11's errors.
cli::op_words parse_words(const std::string& line);

}  // namespace rowsmith::test
