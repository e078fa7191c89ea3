// reference: what softmax must give, in float64 from the stored inputs, and how far a result is from it.
#pragma once

#include <cstdint>

#include "cli/arguments.h"

namespace rowsmith::cli {

struct comparison {
  double max_abs_err = 0;      // infinite where one is a NaN and the other is not
  double max_row_sum_err = 0;  // |sum of the stored outputs - 1|, over rows that are not NaN
  double worst_of_bound = 0;   // the largest error as a part of what its element is allowed: above 1 is a fault
  std::int64_t rows = 0;
  std::int64_t rows_checked = 0;  // evenly spread when not all
};

// Above this many elements a sample of the rows is compared.
constexpr std::int64_t most_elements_compared = std::int64_t{64} << 20;

// x and y: dense row-major host memory. `axis` counts from 0. `mode`: never by_output.
comparison compare_softmax(const void* x, dtype x_type, const void* y, dtype y_type, const shape& s, int axis,
                           exp_mode mode);

}  // namespace rowsmith::cli
