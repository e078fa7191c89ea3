// measure: a case on the card: ours beside a copy of the same bytes, an empty kernel and the naive kernel, in one run,
// and the results checked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench_case.h"
#include "graph_timer.h"
#include "own_kernels.h"

namespace rowsmith::bench {

struct measured {
  std::string strategy;
  double naive_us = 0;        // 0: there is no naive kernel of it, or it has a problem
  std::string naive_problem;  // what it computes is something else
  double ours_us = 0, copy_us = 0, empty_us = 0;
  double bytes = 0;     // read and written
  double of_bound = 0;  // the largest error as a part of what its element is allowed
};

// corrupt: the results are off.
result<measured> measure(const bench_case& c, const graph_timer& timer, const own_kernels& own);

// {case, op, dtype, shape, strategy, naive_us, ours_us, ours_gbps, copy_gbps, x_copy, goal, empty_us, goal_us}
nlohmann::json row_of(const bench_case& c, const measured& m);

// What a program that times the same case needs to know of it.
result<nlohmann::json> description_of(const bench_case& c);

}  // namespace rowsmith::bench
