// The gradients of softmax and log_softmax. Names carry the ids of the collected cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/element.h"
#include "support/softmax_family_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

using row = std::vector<float>;

// What a forward pass gives: (log-)softmax of `rows` rows of normal numbers; every `removed`-th position is removed.
row forward(std::int64_t rows, std::int64_t width, bool log, std::int64_t removed = 0) {
  row y = normal(rows * width, 2);
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto begin = y.begin() + r * width, end = begin + width;
    if (removed != 0) {
      for (std::int64_t i = r % removed; i < width; i += removed) begin[i] = -infinity;
    }
    const float top = *std::max_element(begin, end);
    double sum = 0;
    for (auto v = begin; v != end; ++v) sum += std::exp(static_cast<double>(*v) - top);
    for (auto v = begin; v != end; ++v) {
      const double s = static_cast<double>(*v) - top;
      *v = static_cast<float>(log ? s - std::log(sum) : std::exp(s) / sum);
    }
  }
  return y;
}

class softmax_gradients : public on_device {
 protected:
  static std::vector<std::int64_t> some_widths() {
    if (under_test().on_host()) return {1, 49, 512, 20000, 50257};
    return {1, 8, 49, 64, 512, 777, 1001, 2048, 4096, 10001, 16384, 32768, 50257, 131072};
  }
};

TEST_F(softmax_gradients, E9_E11_products_and_sums_in_fp32) {
  for (const std::int64_t width : some_widths()) {
    for (const bool log : {false, true}) {
      backward_call c;
      c.log = log;
      c.shape = {5, width};
      const row y = forward(5, width, log), dy = normal(5 * width, 1, 9);
      check_backward(c, y, dy);
      c.y = c.dy = c.dx = dtype::f32;
      c.scale = 0.125f;
      check_backward(c, y, dy);
      if (under_test().on_host() && width != 49) continue;
      c.y = dtype::f32, c.dy = dtype::bf16, c.dx = dtype::f16;
      check_backward(c, y, dy);
      c.exponential = exp_mode::accurate;
      c.shape = {1, 5, width};
      check_backward(c, y, dy);
    }
  }
}

TEST_F(softmax_gradients, A28_many_equal_f16_gradients) {
  for (const bool log : {false, true}) {
    backward_call c;
    c.log = log;
    c.shape = {3, 4096};
    check_backward(c, forward(3, 4096, log), constant(3 * 4096, 1));
    c.shape = {1, 70000};
    check_backward(c, forward(1, 70000, log), constant(70000, 1));
  }
}

// Removed positions have no gradient and no part in another's, whatever dy holds there; nor has a row without a key.
TEST_F(softmax_gradients, A23_A30_what_is_removed_has_no_gradient) {
  for (const std::int64_t width : some_widths()) {
    if (width < 8) continue;
    for (const bool log : {false, true}) {
      backward_call c;
      c.log = log;
      c.masked = true;
      c.shape = {4, width};
      row y = forward(4, width, log, 3), dy = normal(4 * width);
      for (std::int64_t r = 0; r < 4; ++r) {
        dy[static_cast<std::size_t>(r * width + r % 3)] = r % 2 == 0 ? not_a_number : infinity;
      }
      std::fill_n(y.begin() + 2 * width, width, 0.0f);
      const row dx = check_backward(c, y, dy);
      for (std::int64_t i = 0; i < width; ++i) ASSERT_EQ(dx[static_cast<std::size_t>(2 * width + i)], 0);
    }
  }
}

TEST_F(softmax_gradients, G6_a_row_of_one_has_no_gradient) {
  for (const bool log : {false, true}) {
    for (const bool masked : {false, true}) {
      backward_call c;
      c.log = log;
      c.masked = masked;
      c.shape = {3, 1};
      for (const float v : check_backward(c, constant(3, log ? 0.0f : 1.0f), {1, -2, 3})) EXPECT_EQ(v, 0);
    }
  }
}

// dx may be y or dy: both are read before it is written.
TEST_F(softmax_gradients, F12_in_place_of_y_and_of_dy) {
  for (const std::int64_t width : some_widths()) {
    for (const bool log : {false, true}) {
      for (const role_of_dx over : {role_of_dx::y, role_of_dx::dy}) {
        backward_call c;
        c.log = log;
        c.masked = over == role_of_dx::y;
        c.over = over;
        c.shape = {5, width};
        check_backward(c, forward(5, width, log), normal(5 * width, 1, 4));
      }
    }
  }
}

TEST_F(softmax_gradients, F1_a_gradient_of_any_strides) {
  for (const std::int64_t width : {49, 512}) {
    backward_call c;
    c.shape = {6, width};
    const row y = forward(6, width, false);
    c.dy_stride = {0, 0};
    check_backward(c, y, {1});
    c.dy_stride = {2 * width, 2};
    check_backward(c, y, normal(6 * width));
    c.dy_stride = {1, 6};
    check_backward(c, y, normal(6 * width));
  }
  backward_call c;
  c.shape = {3, 20, 7};
  c.axis = 1;
  c.dy = dtype::f32;
  check_backward(c, constant(420, 0.05f), normal(420));
}

TEST_F(softmax_gradients, H1_H2_H3_the_same_bits_again) {
  for (const std::int64_t width : some_widths()) {
    backward_call c;
    c.y = c.dy = c.dx = dtype::f32;
    c.shape = {9, width};
    const row y = forward(9, width, false), dy = normal(9 * width);
    const row first = check_backward(c, y, dy);
    for (int again = 0; again < 3; ++again) ASSERT_EQ(check_backward(c, y, dy), first);
  }
}

}  // namespace
}  // namespace rowsmith::test
