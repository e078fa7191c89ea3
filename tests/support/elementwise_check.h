// elementwise_check: one call of the public elementwise or copy, with everything about it checked: the status, every
// element against float64 (a copy's bits), that inputs stay and no byte beside the outputs is written, and where its
// kernel came from.
#pragma once

#include <vector>

#include "rowsmith/elementwise.h"
#include "support/softmax_check.h"
#include "support/tensor.h"

namespace rowsmith::test {

struct operand_call {
  dtype type = dtype::f32;
  dims shape;
  dims stride = {};  // empty: dense
  placement at = {};
  std::vector<float> values = {};  // of an input, row-major, repeated where they are fewer; none: drawn
  int in_place = -1;               // of an output: the input that it is
};

struct elementwise_call {
  std::vector<expr> outputs;
  std::vector<operand_call> inputs, results;
  elementwise_options options;
};

// Calls and checks; failures are test failures that show the call. Gives the elements of the outputs, row-major.
std::vector<std::vector<float>> check_elementwise(const elementwise_call& c);

// The same for a copy of bits that are drawn, among them every kind of NaN.
void check_copy(const operand_call& x, const operand_call& y);

// Expects that the last cold call, if there was one since `misses`, was answered by the kernel under test.
void expect_kernel_under_test(std::uint64_t misses);

}  // namespace rowsmith::test
