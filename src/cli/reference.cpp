#include "cli/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "cli/number.h"
#include "cli/parallel.h"

namespace rowsmith::cli {

namespace {

// Where the rows lie in dense memory.
struct rows_of {
  std::int64_t outer = 1, width = 1, inner = 1;
  rows_of(const shape& s, int axis) : width(s[axis]) {
    for (int i = 0; i < axis; ++i) outer *= s[i];
    for (std::size_t i = axis + 1; i < s.size(); ++i) inner *= s[i];
  }
  std::int64_t count() const { return width == 0 ? 0 : outer * inner; }
  std::int64_t base(std::int64_t row) const { return row / inner * width * inner + row % inner; }
};

// The numeric contract's bound: one rounding of the output, and the exponential's share.
struct bound {
  dtype type;
  exp_mode mode;
  double levels;  // 16 + 2 log2 N

  double operator()(double y, double distance) const {
    const double exponential = mode == exp_mode::fast ? levels + 2 * std::abs(distance * 1.4426950408889634) : levels;
    return half_ulp(type, y) + 0x1p-24 * std::abs(y) * exponential + 0x1p-126;
  }
};

void take_worse(comparison* into, const comparison& part) {
  into->max_abs_err = std::max(into->max_abs_err, part.max_abs_err);
  into->max_row_sum_err = std::max(into->max_row_sum_err, part.max_row_sum_err);
  into->worst_of_bound = std::max(into->worst_of_bound, part.worst_of_bound);
}

}  // namespace

comparison compare_softmax(const void* x, dtype x_type, const void* y, dtype y_type, const shape& s, int axis,
                           exp_mode mode) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const rows_of rows(s, axis);
  comparison all;
  all.rows = rows.count();
  if (all.rows == 0) return all;
  const std::int64_t wanted = std::max<std::int64_t>(1, most_elements_compared / rows.width);
  all.rows_checked = std::min(all.rows, wanted);
  const bound allowed{y_type, mode, 16 + 2 * std::log2(static_cast<double>(rows.width))};

  std::mutex joining;
  parallel(all.rows_checked, std::max<std::int64_t>(1, 16384 / rows.width), [&](std::int64_t begin, std::int64_t end) {
    comparison part;
    std::vector<double> distance(rows.width);  // x - max
    for (std::int64_t i = begin; i < end; ++i) {
      // Evenly spread, the first and the last among them; in 128 bits since both factors may be large.
      const std::int64_t row =
          all.rows_checked == 1
              ? 0
              : static_cast<std::int64_t>(static_cast<__int128>(i) * (all.rows - 1) / (all.rows_checked - 1));
      const std::int64_t base = rows.base(row);
      double most = -infinity, sum = 0, stored_sum = 0;
      for (std::int64_t j = 0; j < rows.width; ++j) {
        distance[j] = load(x, x_type, base + j * rows.inner);
        if (!(distance[j] <= most)) most = distance[j];  // a NaN sticks below, through the sum
      }
      for (double& d : distance) d -= most, sum += std::exp(d);
      for (std::int64_t j = 0; j < rows.width; ++j) {
        const double expected = std::exp(distance[j]) / sum;
        const double found = load(y, y_type, base + j * rows.inner);
        stored_sum += found;
        if (std::isnan(expected) && std::isnan(found)) continue;
        const double error = std::isnan(expected) || std::isnan(found) ? infinity : std::abs(found - expected);
        part.max_abs_err = std::max(part.max_abs_err, error);
        part.worst_of_bound = std::max(part.worst_of_bound, error / allowed(expected, distance[j]));
      }
      if (!std::isnan(sum)) {
        part.max_row_sum_err =
            std::max(part.max_row_sum_err, std::isnan(stored_sum) ? infinity : std::abs(stored_sum - 1));
      }
    }
    const std::lock_guard lock(joining);
    take_worse(&all, part);
  });
  return all;
}

}  // namespace rowsmith::cli
