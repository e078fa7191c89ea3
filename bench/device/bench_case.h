// bench_case: one row of the table: our kernel beside a copy of the same bytes, an empty kernel and the naive kernel, all
// in one run, and its result checked.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "graph_timer.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::bench {

struct bench_case {
  std::string name;
  std::int64_t rows;
  std::int64_t width;
  dtype in;
  dtype out;
  double goal;             // × copy; 0: the goal is a time
  double goal_us = 0;      // over an empty kernel in the same replay
  int shift = 0;           // elements by which both bases are off a 16-byte boundary
};

std::string shape_text(const bench_case& c);

// {case, op, dtype, shape, strategy, naive_us, ours_us, ours_gbps, copy_gbps, x_copy, goal, empty_us, goal_us, max_abs_err}
result<nlohmann::json> run_case(const bench_case& c, const graph_timer& timer);

// The softmax rows of the goals.
const std::vector<bench_case>& softmax_cases();

}  // namespace rowsmith::bench
