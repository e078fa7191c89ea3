// The references against vectors by hand. No test here is named after a collected case: those names are for kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "support/reference.h"

namespace rowsmith::test::reference {
namespace {

TEST(norm_backward_reference, exact_vector) {
  norm_backward_terms t;
  t.epsilon = 1e-4;
  const reals x{1, 0, 0, 0};
  const expected dx = rms_norm_backward(x, x, 4, t).dx;
  EXPECT_NEAR(dx[0].value, 0.00079952, 5e-9);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(dx[i].value, 0);
}

constexpr std::size_t width = 4;
const reals x{0.5, -1, 2, 0.25, 3, 3.5, -2, 1}, dy{1, -2, 0.5, 3, 0.1, 0.2, -1, 4}, weight{1, 2, -0.5, 0.75};

// The sum of y dy, y from the forward reference.
double loss(bool is_layer, const reals& at, const reals& w, bool one_plus) {
  affine a;
  a.weight = w;
  a.one_plus_weight = one_plus;
  double sum = 0;
  for (std::size_t r = 0; r < at.size() / width; ++r) {
    const std::span<const double> row = std::span(at).subspan(r * width, width);
    const expected y = is_layer ? layer_norm(row, 1e-3, a).y : rms_norm(row, 1e-3, a).y;
    for (std::size_t i = 0; i < width; ++i) sum += y[i].value * dy[r * width + i];
  }
  return sum;
}

template <class F>
double slope(reals at, std::size_t i, F f) {
  at[i] += 1e-5;
  const double up = f(at);
  at[i] -= 2e-5;
  return (up - f(at)) / 2e-5;
}

TEST(norm_backward_reference, gradients_are_derivatives) {
  for (const bool is_layer : {true, false}) {
    for (const bool one_plus : {true, false}) {
      norm_backward_terms t{1e-3, weight, one_plus, {}};
      const norm_gradients g = is_layer ? layer_norm_backward(x, dy, width, t) : rms_norm_backward(x, dy, width, t);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(g.dx[i].value, slope(x, i, [&](const reals& v) { return loss(is_layer, v, weight, one_plus); }),
                    1e-8);
      }
      for (std::size_t i = 0; i < width; ++i) {
        EXPECT_NEAR(g.dweight[i].value,
                    slope(weight, i, [&](const reals& w) { return loss(is_layer, x, w, one_plus); }), 1e-8);
        EXPECT_EQ(g.dbias[i].value, dy[i] + dy[width + i]);
      }
    }
  }
}

TEST(norm_backward_reference, what_else_flows_in_is_added) {
  norm_backward_terms t{1e-3, weight, false, reals(x.size(), 7)};
  const expected with = layer_norm_backward(x, dy, width, t).dx;
  t.extra.clear();
  const expected without = layer_norm_backward(x, dy, width, t).dx;
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(with[i].value, without[i].value + 7);
}

TEST(norm_backward_reference, no_rows_give_exactly_zero) {
  const norm_gradients g = layer_norm_backward({}, {}, 3);
  EXPECT_TRUE(g.dx.empty());
  EXPECT_TRUE(within(g.dweight, dtype::f32, std::vector<float>(3)));
  EXPECT_TRUE(within(g.dbias, dtype::f32, std::vector<float>(3)));
}

TEST(norm_backward_reference, overflowing_and_constant_rows) {
  norm_backward_terms t;
  t.extra = {5, 6};
  const norm_gradients far = layer_norm_backward(reals{1e30, -1e30}, reals{1, 2}, 2, t);
  EXPECT_TRUE(within(far.dx, dtype::f32, std::vector<float>{5, 6}));
  EXPECT_TRUE(within(far.dweight, dtype::f32, std::vector<float>{0, 0}));
  const norm_gradients same = layer_norm_backward(reals{1234567, 1234567}, reals{1, 2}, 2);
  EXPECT_TRUE(within(same.dweight, dtype::f32, std::vector<float>{0, 0}));
  EXPECT_NEAR(same.dx[0].value, -0.5 / std::sqrt(1e-5), 1e-9);
}

}  // namespace
}  // namespace rowsmith::test::reference
