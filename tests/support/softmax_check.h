// softmax_check: one call of the public softmax, with everything about it checked: the status, every element and row
// sum against the contract's bound, that no byte beside the output was written, and where its kernel came from.
#pragma once

#include <string>
#include <vector>

#include "rowsmith/explain.h"
#include "rowsmith/ops.h"
#include "support/tensor.h"

namespace rowsmith::test {

// What the program at hand tests; its main() sets it before the first test.
struct device_under_test {
  device where;
  bool scalar = false;      // ROWSMITH_FORCE_SCALAR=1
  std::string unavailable;  // why the device cannot be tested; empty when it can

  bool on_host() const { return where.kind == device_kind::host; }
};
device_under_test& under_test();

// Did the scalar fallback answer? For a card that no compiler of ours knows its source is compiled, and may be kept.
inline bool is_fallback(const call_trace& t) { return t.source == "fallback" || t.strategy == "scalar"; }

// Skips where the device does not answer.
class on_device : public testing::Test {
 protected:
  void SetUp() override {
    if (!under_test().unavailable.empty()) GTEST_SKIP() << under_test().unavailable;
  }
};

struct dtypes {
  dtype in, out;
};
std::string name_of(dtypes t);
inline constexpr dtypes f16{dtype::f16, dtype::f16}, bf16{dtype::bf16, dtype::bf16}, f32{dtype::f32, dtype::f32},
    f16_to_f32{dtype::f16, dtype::f32}, f32_to_bf16{dtype::f32, dtype::bf16};
inline constexpr dtypes every_dtype[] = {f16, bf16, f32, f16_to_f32, f32_to_bf16};

struct softmax_call {
  dtypes type = f16;
  dims shape;
  dims x_stride, y_stride;  // empty: dense
  int axis = -1;
  exp_mode exponential = exp_mode::by_output;
  bool in_place = false;  // x's strides and place hold
  placement x_at, y_at;
  stream on;
  width_mode width = width_mode::automatic;
  bool batch_invariant = false;
};

struct softmax_outcome {
  std::vector<float> y;             // row-major
  std::vector<unsigned char> bits;  // of y
};

// Calls and checks; failures are test failures that show the call. x: row-major, repeated where it is shorter.
softmax_outcome check_softmax(const softmax_call& c, const std::vector<float>& x);

// The same for one row.
std::vector<float> softmax_of(const std::vector<float>& row, dtypes type = f32);

}  // namespace rowsmith::test
