// The references against vectors by hand. No test here is named after a collected case: those names are for kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "support/reference.h"

namespace rowsmith::test::reference {
namespace {

constexpr double inf = INFINITY;
constexpr auto fast = exponential::fast, accurate = exponential::accurate;
constexpr auto masked = empty_rows::zero;

void expect_all_nan(const expected& y) {
  for (const bounded& b : y) EXPECT_TRUE(std::isnan(b.value)) << b.value;
}

void expect_all_zero(const expected& y) {
  for (const bounded& b : y) EXPECT_TRUE(b.value == 0 && b.error == 0) << b.value;
}

TEST(softmax_reference, exact_vectors) {
  const expected y = softmax(reals{90, 2, -2}, accurate).y;
  EXPECT_EQ(y[0].value, 1);
  EXPECT_NEAR(y[1].value, 6.0546e-39, 1e-43);
  EXPECT_NEAR(y[2].value, 1.10894e-40, 1e-45);
  EXPECT_TRUE(within(y, dtype::f32, std::vector<float>{1, 0, 0}));  // below 2^-126 an exponential may be 0
  EXPECT_EQ(softmax(reals{378.1, -249.9}, accurate).y[1].value, std::exp(-628.0));
  for (const bounded& b : softmax(reals(4, -1e30), fast).y) EXPECT_EQ(b.value, 0.25);
}

TEST(softmax_reference, special_values_in_both_modes) {
  for (const reals& x : {reals{NAN, 0, 0}, reals{inf, 1, 2}, reals{NAN, -inf}}) {
    expect_all_nan(softmax(x, accurate).y);
    expect_all_nan(log_softmax(x, masked).y);
    EXPECT_TRUE(std::isnan(softmax(x, fast, masked).lse.value));
  }
  const reals empty(8, -inf);
  expect_all_nan(softmax(empty, accurate).y);
  expect_all_zero(softmax(empty, accurate, masked).y);
  expect_all_zero(log_softmax(empty, masked).y);
  EXPECT_EQ(softmax(empty, accurate, masked).lse.value, -inf);
  const softmax_row y = log_softmax(reals{0, -inf});
  EXPECT_EQ(y.y[1].value, -inf);
  EXPECT_TRUE(within(y.y, dtype::f16, std::vector<float>{0, -INFINITY}));
}

// Of a flat row every element is rounded the same way: bf16 rows miss 1 by more than the common 1e-3.
TEST(softmax_reference, the_trap_of_flat_rows) {
  for (const std::size_t width : {3u, 197u}) {
    const softmax_row want = softmax(reals(width, 1), fast);
    const std::vector<float> got(width, static_cast<float>(round_to(dtype::bf16, 1.0 / static_cast<double>(width))));
    EXPECT_TRUE(within(want.y, dtype::bf16, got));
    EXPECT_TRUE(sums_up(want, dtype::bf16, got));
    EXPECT_FALSE(sums_up(want, dtype::f32, got));
  }
}

// 111 units in the last place at a distance of 69: what a fast exponential may cost, and an accurate one may not.
TEST(softmax_reference, the_trap_of_the_fast_exponential) {
  const reals x{0, -69};
  const auto y = static_cast<float>(softmax(x, fast).y[1].value);
  const std::vector<float> off{1, y * (1 + 111 * 0x1p-24f)};
  EXPECT_TRUE(within(softmax(x, fast).y, dtype::f32, off));
  EXPECT_FALSE(within(softmax(x, accurate).y, dtype::f32, off));
}

TEST(softmax_reference, logits_are_rounded_at_every_step) {
  logit_terms t;
  t.scale = 0.1f;
  t.additive = {1e-9};
  t.bias = {100};
  EXPECT_EQ(logits(reals{3}, t)[0], 0.1f * 3.0f + 1e-9f + 100.0f);
  t = {};
  t.scale = 1e14f;
  EXPECT_EQ(logits(reals{1e30}, t)[0], inf);
}

TEST(softmax_reference, removed_and_added) {
  logit_terms t;
  t.additive = {-inf, -inf};
  EXPECT_TRUE(std::isnan(logits(reals{NAN, 1}, t)[0]));
  EXPECT_TRUE(std::isnan(logits(reals{inf, 1}, t)[0]));
  EXPECT_EQ(logits(reals{NAN, 1}, t)[1], -inf);
  t = {};
  t.keep = keep(std::vector<std::uint8_t>{0, 0, 1});
  expect_all_nan(softmax(logits(reals{NAN, inf, -inf}, t), accurate).y);
  expect_all_zero(softmax(logits(reals{NAN, inf, -inf}, t), accurate, masked).y);
  t.keep = drop(std::vector<std::uint8_t>{0, 1, 0});
  EXPECT_EQ(softmax(logits(reals{1, NAN, 1}, t), accurate).y[2].value, 0.5);
}

TEST(softmax_reference, causal_rows) {
  EXPECT_EQ(causal(3, 0, -1), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(causal(3, 0, 1), (std::vector<bool>{true, true, false}));  // the first of 2 rows, bottom-right aligned
}

TEST(softmax_reference, lse) {
  EXPECT_NEAR(log_softmax(reals{1000, 1000}).lse.value, 1000 + std::log(2), 1e-12);
  EXPECT_NEAR(log_softmax(reals{1, 2, 3}).y[0].value, -2.40760596444438, 1e-14);
}

TEST(softmax_reference, gradients_are_derivatives) {
  const reals x{0.3, -1, 2, 0.5}, dy{1, -2, 0.25, 3};
  gradient_terms t;
  t.scale = 0.5;
  const auto loss = [&](reals z, bool in_logs) {
    for (double& v : z) v *= t.scale;
    const expected y = in_logs ? log_softmax(z).y : softmax(z, accurate).y;
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i].value * dy[i];
    return sum;
  };
  for (const bool in_logs : {false, true}) {
    reals y;
    reals scaled(x);
    for (double& v : scaled) v *= t.scale;
    for (const bounded& b : in_logs ? log_softmax(scaled).y : softmax(scaled, accurate).y) y.push_back(b.value);
    const expected dx = in_logs ? log_softmax_backward(y, dy, t) : softmax_backward(y, dy, t);
    for (std::size_t i = 0; i < x.size(); ++i) {
      reals up(x), down(x);
      up[i] += 1e-5, down[i] -= 1e-5;
      EXPECT_NEAR(dx[i].value, (loss(up, in_logs) - loss(down, in_logs)) / 2e-5, 1e-9);
      EXPECT_LT(dx[i].error, 1e-5);
    }
  }
}

TEST(softmax_reference, masked_rows_have_no_gradient) {
  gradient_terms t;
  t.empty = masked;
  expect_all_zero(softmax_backward(reals{0, 0}, reals{NAN, inf}, t));
  expect_all_zero(log_softmax_backward(reals{0, 0}, reals{1, 2}, t));
  EXPECT_EQ(log_softmax_backward(reals{0, -inf}, reals{3, 5}, t)[1].value, 0);
  EXPECT_EQ(log_softmax_backward(reals{0}, reals{3}, t)[0].value, 0);
  t = {};
  t.keep = {true, false};
  EXPECT_EQ(softmax_backward(reals{1, 0}, reals{3, NAN}, t)[0].value, 0);
  expect_all_nan(softmax_backward(reals{NAN, NAN}, reals{3, 1}));
}

}  // namespace
}  // namespace rowsmith::test::reference
