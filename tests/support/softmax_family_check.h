// softmax_family_check: one call of softmax with masks, of log_softmax, or of a gradient, with everything about it
// checked against float64 references: status, elements, row sums, log-sum-exps, and that nothing else was written.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rowsmith/softmax.h"
#include "support/softmax_check.h"
#include "support/tensor.h"

namespace rowsmith::test {

// An operand that broadcasts to the shape of the call.
struct side_operand {
  dtype type = dtype::f32;
  dims shape;
  std::vector<float> values;  // row-major; repeated where it is shorter
  dims stride = {};           // empty: dense
};

struct masked_call {
  dtypes type = f16;
  dims shape;
  int axis = -1;
  bool log = false;
  exp_mode exponential = exp_mode::by_output;
  bool masked = false;
  float scale = 1;
  mask_form form = mask_form::none;
  side_operand mask;
  std::optional<side_operand> bias;
  std::optional<std::int64_t> causal;
  bool lse = true;
  bool in_place = false;
  std::vector<std::int64_t> rows;  // of x, a table of `table_rows` rows; empty: x has the shape of the call
  std::int64_t table_rows = 0;
  dtype index_type = dtype::i64;
  placement x_at, y_at;
  width_mode width = width_mode::automatic;
  bool batch_invariant = false;
};

struct masked_outcome {
  std::vector<float> y, lse;
  std::vector<unsigned char> bits;  // of y
};

masked_outcome check_masked(const masked_call& c, const std::vector<float>& x);

// What memory a gradient is written to.
enum class role_of_dx { itself, y, dy };

struct backward_call {
  dtype y = dtype::f16, dy = dtype::f16, dx = dtype::f16;
  dims shape;
  int axis = -1;
  bool log = false;
  exp_mode exponential = exp_mode::by_output;
  bool masked = false;
  float scale = 1;
  role_of_dx over = role_of_dx::itself;
  width_mode width = width_mode::automatic;
  dims dy_stride;  // empty: dense
};

// y and dy in row-major order, repeated where shorter. Returns dx.
std::vector<float> check_backward(const backward_call& c, const std::vector<float>& y, const std::vector<float>& dy);

}  // namespace rowsmith::test
