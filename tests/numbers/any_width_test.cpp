// width = any: a kernel for all widths of a bucket, at the widths where buckets, packs and teams end; within the same
// bounds, and touching nothing beside the operands.
#include <gtest/gtest.h>

#include "rowsmith/runtime.h"
#include "support/norm_check.h"
#include "support/rows_check.h"
#include "support/softmax_check.h"
#include "support/softmax_family_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr std::int64_t edges[] = {1,  2,   7,   8,   15,  16,   17,   31,   33,   63,    64,    65,
                                  66, 127, 257, 512, 777, 1023, 1024, 1025, 4096, 16384, 16385, 50257};

class any_width : public on_device {
 protected:
  // Compiles of one test: a kernel (of two launches, two) for each bucket and alignment.
  void SetUp() override {
    on_device::SetUp();
    before_ = counters().compiled;
  }
  void expect_compiles(std::uint64_t most) const { EXPECT_LE(counters().compiled - before_, most); }

 private:
  std::uint64_t before_ = 0;
};

TEST_F(any_width, softmax) {
  for (const dtypes type : every_dtype) {
    for (const std::int64_t width : edges) {
      softmax_call c;
      c.type = type;
      c.width = width_mode::any;
      c.shape = {19, width};
      check_softmax(c, normal(19 * width, 2));
      c.x_at.phase = 1, c.y_at.phase = 0;
      if (type.in == dtype::f16) check_softmax(c, normal(19 * width, 2));
    }
  }
  expect_compiles(2 * 4 * 7);
}

TEST_F(any_width, strided_rows_and_in_place) {
  for (const std::int64_t width : edges) {
    if (width > 5000) continue;
    softmax_call c;
    c.width = width_mode::any;
    c.shape = {7, width};
    c.x_stride = {2 * width + 3, 2};
    check_softmax(c, normal(7 * width, 2));
    c.x_stride = {1, 7};
    c.y_stride = {1, 7};
    check_softmax(c, normal(7 * width, 2));
    c.x_stride = c.y_stride = {};
    c.in_place = true;
    check_softmax(c, normal(7 * width, 2));
  }
}

TEST_F(any_width, masked_softmax) {
  for (const std::int64_t width : edges) {
    masked_call c;
    c.width = width_mode::any;
    c.shape = {5, width};
    c.masked = true;
    c.form = mask_form::drop;
    c.mask = {dtype::b8, {1, width}, {0, 1, 0, 0, 1}};
    c.bias = side_operand{dtype::f32, {5, 1}, {0.5f, -1, 2}};
    c.causal = width / 2;
    check_masked(c, normal(5 * width, 2));
  }
  expect_compiles(4 * 2);
}

TEST_F(any_width, softmax_backward) {
  for (const bool log : {false, true}) {
    for (const std::int64_t width : edges) {
      backward_call c;
      c.width = width_mode::any;
      c.log = log;
      c.masked = log;
      c.shape = {5, width};
      const float y = log ? -1.0f : 1.0f / static_cast<float>(width);
      check_backward(c, constant(width, y), normal(5 * width, 1, 4));
    }
  }
}

TEST_F(any_width, norms) {
  for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
    for (const std::int64_t width : edges) {
      norm_call c;
      c.kind = kind;
      c.options.width(width_mode::any);
      c.shape = {9, width};
      c.weight = normal(width, 1, 1);
      c.mean = kind == norm_kind::layer;
      c.rstd = true;
      c.add = kind == norm_kind::rms;
      check_norm(c, normal(9 * width, 3), normal(9 * width, 2, 5));
    }
  }
}

// A variance that overflows takes the rare way, which has reductions in it, for some rows of a team only.
TEST_F(any_width, rows_that_overflow_beside_rows_that_do_not) {
  for (const std::int64_t width : {33, 64, 1000, 2000}) {
    norm_call c;
    c.x = c.y = dtype::f32;
    c.options.width(width_mode::any);
    c.shape = {9, width};
    std::vector<float> x = normal(9 * width, 3);
    for (std::int64_t r = 1; r < 9; r += 3) {
      for (std::int64_t i = 0; i < width; ++i) x[static_cast<std::size_t>(r * width + i)] *= 1e30f;
    }
    check_norm(c, x);
    c.x_stride = {1, 9};  // neighbours in memory
    check_norm(c, x);
    c.options.width(width_mode::exact);
    check_norm(c, x);
  }
}

// Sums over rows: the workspace depends on the width that the kernel does not know.
TEST_F(any_width, norm_backward_with_weight_gradients) {
  for (const std::int64_t width : edges) {
    norm_backward_call c;
    c.options.width(width_mode::any);
    c.shape = {width > 5000 ? 9 : 301, width};
    c.weight = normal(width, 1, 1);
    check_norm_backward(c, normal(c.shape[0] * width, 2, 2), normal(c.shape[0] * width, 1, 3));
  }
  expect_compiles(2 * 4 * 2);
}

TEST_F(any_width, gathers) {
  for (const std::int64_t width : edges) check_gathers_of_any_width(width);
}

}  // namespace
}  // namespace rowsmith::test
