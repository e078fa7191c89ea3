// comparison: how far results are from what they must be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rowsmith::cli {

struct output_comparison {
  std::string role;
  double max_abs_err = 0;     // infinite where one is a NaN and the other is not
  double worst_of_bound = 0;  // the largest error as a part of what its element is allowed: above 1 is a fault
  bool compared = false;
};

struct comparison {
  std::vector<output_comparison> outputs;
  double max_row_sum_err = std::numeric_limits<double>::quiet_NaN();  // of softmax: |sum of a row - 1|; else NaN
  std::int64_t rows = 0;
  std::int64_t rows_checked = 0;  // evenly spread when not all
  std::string not_compared;       // why some, or all, were not; empty: all were

  double max_abs_err() const {
    double most = 0;
    for (const output_comparison& o : outputs) most = std::max(most, o.max_abs_err);
    return most;
  }
  double worst_of_bound() const {
    double most = 0;
    for (const output_comparison& o : outputs) most = std::max(most, o.worst_of_bound);
    return most;
  }
};

}  // namespace rowsmith::cli
