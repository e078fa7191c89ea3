// Norm calls that check themselves: against the reference within the bounds of docs/numerics.md, and that no byte
// around their tensors was touched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rowsmith/rowsmith.h"
#include "support/softmax_check.h"
#include "support/tensor.h"

namespace rowsmith::test {

enum class norm_kind { layer, rms };
enum class in_place { no, y_is_x, y_is_residual, sum_is_x, sum_is_residual };

struct norm_call {
  norm_kind kind = norm_kind::layer;
  dtype x = dtype::f16, y = dtype::f16, weights = dtype::f32, statistics = dtype::f32;
  dims shape;  // of y
  dims x_stride, y_stride;
  int trailing = 1;
  std::vector<float> weight, bias;  // of a row's width; empty: none
  bool mean = false, rstd = false;  // are given out
  std::vector<std::int64_t> rows;   // of x, a table of table_rows rows; empty: x has y's shape
  std::int64_t table_rows = 0;
  dtype index = dtype::i64;
  bool by_name = false;  // as norm_gather or rms_norm_gather
  // With a residual:
  bool add = false;
  dtype residual = dtype::f16;
  std::optional<dtype> sum;
  std::vector<std::int64_t> residual_rows;
  in_place place = in_place::no;
  norm_options options;
  placement x_at, y_at, weight_at;

  std::int64_t width() const;
  std::int64_t row_count() const;
};

struct norm_outcome {
  std::vector<float> y, mean, rstd, sum;
  std::vector<unsigned char> bits;  // of y
};

// x, residual: row-major, repeated where they are shorter. Failures are test failures that show the call.
norm_outcome check_norm(const norm_call& c, const std::vector<float>& x, const std::vector<float>& residual = {});

struct norm_backward_call {
  norm_kind kind = norm_kind::layer;
  dtype x = dtype::f16, dy = dtype::f16, dx = dtype::f16, weights = dtype::f32;
  dims shape;
  dims x_stride, dy_stride;
  int trailing = 1;
  std::vector<float> weight;
  bool wants_dx = true, wants_dweight = true, wants_dbias = true;
  bool dsum = false;  // drawn
  bool dx_is_x = false, dx_is_dy = false;
  norm_options options;
};

struct norm_backward_outcome {
  std::vector<float> dx, dweight, dbias;
  std::vector<unsigned char> bits;  // of all three
};

norm_backward_outcome check_norm_backward(const norm_backward_call& c, const std::vector<float>& x,
                                          const std::vector<float>& dy);

}  // namespace rowsmith::test
