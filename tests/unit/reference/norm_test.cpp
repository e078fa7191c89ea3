// The references against vectors by hand. No test here is named after a collected case: those names are for kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "support/reference.h"

namespace rowsmith::test::reference {
namespace {

TEST(moments_reference, exact_vectors) {
  // m + i 1e-3, as fp32 stores it.
  const std::pair<double, double> variances[] = {{100, 2.126e-5}, {1000, 2.125e-5}, {1e4, 2.027e-5}, {1e6, 0}};
  for (const auto& [m, variance] : variances) {
    reals x;
    for (int i = 0; i < 16; ++i) x.push_back(static_cast<float>(m + i * 1e-3));
    EXPECT_NEAR(moments(x).variance.value, variance, 1e-8) << m;
  }
  const moments_of few = moments(reals{1, 2, 3, 6});
  EXPECT_EQ(few.mean.value, 3);
  EXPECT_EQ(few.variance.value, 3.5);
  EXPECT_EQ(few.range, 5);
}

TEST(moments_reference, none_special_and_overflowing) {
  EXPECT_TRUE(std::isnan(moments({}).mean.value) && std::isnan(moments({}).variance.value));
  EXPECT_TRUE(std::isnan(moments(reals{1, INFINITY}).mean.value));
  const moments_of far = moments(reals{1e30, -1e30});
  EXPECT_EQ(far.squares, overflow::yes);
  EXPECT_TRUE(within(far.variance, dtype::f32, INFINITY));
  EXPECT_FALSE(within(far.variance, dtype::f32, 1e38f));
  // Deviations of 1.5e19: the sum of two squares overflows, their mean does not.
  const moments_of between = moments(reals{1.5e19, -1.5e19});
  EXPECT_EQ(between.squares, overflow::maybe);
  for (const float v : {INFINITY, 2.25e38f}) EXPECT_TRUE(within(between.variance, dtype::f32, v));
  EXPECT_EQ(moments(reals{1e19, -1e18}).squares, overflow::no);
}

TEST(norm_reference, a_constant_row_is_exactly_the_bias) {
  affine a;
  a.weight = {2, -3, 5};
  a.bias = {0.25, -1, 1e-3};
  for (const double c : {1234567.0, 1000000.25, 330000.1, 1e15, -0.0}) {
    const norm_row row = layer_norm(reals(3, c), 1e-5, a);
    EXPECT_TRUE(within(row.y, dtype::f32, std::vector<float>{0.25f, -1, 1e-3f}));
    EXPECT_FALSE(within(row.y, dtype::f32, std::vector<float>{0.25f, std::nextafter(-1.0f, 0.0f), 1e-3f})) << c;
    EXPECT_EQ(row.mean.value, c);
  }
}

TEST(norm_reference, by_hand) {
  // Deviations -2, -1, 0, 3 of variance 3.5, and 0.5 of epsilon: rstd = 1/2.
  affine a;
  a.weight = {1, 2, 3, 4};
  a.bias = {0, 10, 20, 30};
  const norm_row row = layer_norm(reals{1, 2, 3, 6}, 0.5, a);
  const double y[] = {-1, 9, 20, 36};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(row.y[i].value, y[i]);
  EXPECT_EQ(row.rstd.value, 0.5);
  EXPECT_EQ(row.mean.value, 3);
  // u L (|w| rstd R + |y| + |b|), L = 20, R = 5.
  EXPECT_DOUBLE_EQ(row.y[3].error, 0x1p-24 * 20 * (4 * 0.5 * 5 + 36 + 30));

  const norm_row rms = rms_norm(reals{3, 4}, 3.5, a);  // mean square 12.5
  EXPECT_EQ(rms.y[0].value, 0.75);
  EXPECT_EQ(rms.y[1].value, 12);
  EXPECT_DOUBLE_EQ(rms.y[1].error, 0x1p-24 * 18 * 22);
  a.one_plus_weight = true;
  EXPECT_EQ(rms_norm(reals{3, 4}, 3.5, a).y[0].value, 1.5);
}

TEST(norm_reference, a_variance_that_overflows_leaves_the_bias) {
  affine a;
  a.bias = {1, 2};
  for (const norm_row& row : {layer_norm(reals{1e30, -1e30}, 1e-5, a), rms_norm(reals{1e30, -1e30}, 1e-5, a)}) {
    EXPECT_TRUE(within(row.y, dtype::f32, std::vector<float>{1, 2}));
    EXPECT_FALSE(within(row.y, dtype::f32, std::vector<float>{2, 1}));
    EXPECT_TRUE(within(row.rstd, dtype::f32, 0.0f));
  }
  const norm_row between = layer_norm(reals{1.5e19, -1.5e19}, 1e-5, a);
  for (const auto& y : {std::vector<float>{1, 2}, std::vector<float>{2, 1}}) {
    EXPECT_TRUE(within(between.y, dtype::f32, y));
  }
}

TEST(norm_reference, special_values) {
  for (const double special : {INFINITY, -INFINITY, NAN}) {
    for (const bounded& b : layer_norm(reals{1, special}, 1e-5).y) EXPECT_TRUE(std::isnan(b.value));
  }
  for (const bounded& b : rms_norm(reals{1, NAN}, 1e-5).y) EXPECT_TRUE(std::isnan(b.value));
  const norm_row row = rms_norm(reals{1, INFINITY}, 1e-5);
  EXPECT_EQ(row.y[0].value, 0);
  EXPECT_TRUE(std::isnan(row.y[1].value));
}

TEST(norm_reference, a_sign_per_element) {
  const norm_row row = layer_norm(reals{512, -512}, 1e-5);
  EXPECT_TRUE(within(row.y, dtype::f16, std::vector<float>{1, -1}));
}

TEST(norm_reference, cast_before_the_weight) {
  affine a;
  a.weight = {3, 3};
  const reals x{1, 0.3};
  const double normalized = 0.3 / std::sqrt(1.09 / 2 + 1e-6);
  EXPECT_EQ(rms_norm(x, 1e-6, a).y[1].value, normalized * 3);
  a.cast = dtype::bf16;
  const bounded y = rms_norm(x, 1e-6, a).y[1];
  EXPECT_EQ(y.value, 3 * round_to(dtype::bf16, normalized));
  EXPECT_LT(y.error, 1e-5);
  // 1 / sqrt(1 + e) just above a tie of bf16: either neighbour, times the weight.
  const double tie = 1 - 0x1p-9;
  const bounded either = rms_norm(reals{1, 1}, 1 / (tie * tie) - 1, a).y[0];
  EXPECT_TRUE(within(either, dtype::f32, 3.0f));
  EXPECT_TRUE(within(either, dtype::f32, 3 * (1 - 0x1p-8f)));
}

TEST(norm_reference, residuals) {
  const reals x{1}, r{0x1p-9};
  const residual_sum stored = add_residual(x, r, dtype::bf16, round_residual::storage);
  EXPECT_EQ(stored.stored[0], 1);
  EXPECT_EQ(stored.read[0], 1);
  const residual_sum fp32 = add_residual(x, r, dtype::bf16, round_residual::fp32);
  EXPECT_EQ(fp32.stored[0], 1);
  EXPECT_EQ(fp32.read[0], 1 + 0x1p-9);
  const expected after = add_after(reals{10, 10}, layer_norm(reals{512, -512}, 1e-5).y);
  EXPECT_TRUE(within(after, dtype::f16, std::vector<float>{11, 9}));
}

}  // namespace
}  // namespace rowsmith::test::reference
