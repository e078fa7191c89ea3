// rows_check: one call of gather_rows, its backward, or moments, with everything about it checked.
#pragma once

#include <cstdint>
#include <vector>

#include "rowsmith/ops.h"
#include "support/softmax_check.h"
#include "support/tensor.h"

namespace rowsmith::test {

struct gather_call {
  dtypes type = f16;
  dtype index_type = dtype::i32;
  std::int64_t table_rows = 0;
  dims index_shape, row_shape;
  dims table_stride, index_stride, rows_stride;  // of [table_rows, row…], the index, [index…, row…]; empty: dense
  placement table_at, rows_at;
  rows_options options;
};

// y = x[index]; returns y's bits.
std::vector<unsigned char> check_gather(const gather_call& c, const std::vector<std::int64_t>& index,
                                        const std::vector<float>& table);

// dx from dy, which has as many rows as the index; returns dx's bits.
std::vector<unsigned char> check_gather_backward(const gather_call& c, const std::vector<std::int64_t>& index,
                                                 const std::vector<float>& dy);

// Both, of five rows and by a kernel that does not know their width.
void check_gathers_of_any_width(std::int64_t width);

struct moments_call {
  dtypes type = f32;
  dims shape;
  std::vector<int> axes;
  dims x_stride;  // empty: dense
  placement x_at;
  bool keep_axes = false;  // mean and variance have extents of 1 there
  bool variance = true;
  moments_options options;
};

struct moments_outcome {
  std::vector<float> mean, variance;
  std::vector<unsigned char> bits;  // of both
};

moments_outcome check_moments(const moments_call& c, const std::vector<float>& x);

}  // namespace rowsmith::test
