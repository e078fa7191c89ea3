// bench_case: one row of the table as data: a call, in the words of the command line, and the goal it has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/op_words.h"
#include "rowsmith/window.h"

namespace rowsmith::bench {

struct bench_goal {
  double of_copy = 0;        // × a copy of the same bytes; 0: the goal is a time
  double over_empty_us = 0;  // over an empty kernel in the same replay
};

// What an operand called index holds: the rows of windows in the order of a grid's, or the way back.
struct window_order {
  window_axes dims, window, shift, front, back;
  bool restores = false;
};

struct bench_case {
  std::string name;
  cli::op_words call;
  bench_goal goal;
  std::optional<window_order> index;
  int shift = 0;  // elements by which the bases of all tensors of floats are off a 16-byte boundary
};

// {"softmax", "65536x512", "f16"}, and whatever else the words of a call say.
inline cli::op_words call(std::string op, std::string shape, std::string type, cli::op_words more = {}) {
  more.op = std::move(op);
  more.shape = std::move(shape);
  more.type = std::move(type);
  return more;
}

std::vector<bench_case> softmax_cases();
std::vector<bench_case> norm_cases();
std::vector<bench_case> row_cases();
std::vector<bench_case> elementwise_cases();

std::vector<bench_case> all_cases();

// "f16", or "f16->f32" where the output's differs.
std::string dtype_text(const bench_case& c);

}  // namespace rowsmith::bench
