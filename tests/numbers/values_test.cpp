// Values that broke other softmaxes. Names carry the ids of the collected cases.
#include "support/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/element.h"
#include "support/softmax_check.h"

namespace rowsmith::test {
namespace {

using row = std::vector<float>;

class values : public on_device {
 protected:
  // Widths of every mechanism.
  static std::vector<std::int64_t> some_widths() {
    if (under_test().on_host()) return {1, 8, 49, 512, 50257};
    return {1, 2, 8, 49, 64, 512, 1001, 2048, 4096, 10001, 16384, 50257, 65536, 131072};
  }
  static void every_type(const row& x) {
    for (const dtypes type : every_dtype) softmax_of(x, type);
  }
};

TEST_F(values, A1_A4_a_row_of_minus_infinity_is_not_a_number) {
  every_type(constant(8, -infinity));
  for (const dtypes type : {f32, bf16}) {
    softmax_call c;
    c.type = type;
    c.shape = {1, 1, 1, 64};
    for (const float v : check_softmax(c, constant(64, -infinity)).y) EXPECT_TRUE(std::isnan(v));
  }
}

TEST_F(values, A2_plus_infinity_spoils_the_whole_row) { every_type({infinity, 1, 2}); }

TEST_F(values, A3_any_value_that_is_not_a_number_spoils_the_whole_row) {
  for (const float v : softmax_of({not_a_number, 0, 0})) EXPECT_TRUE(std::isnan(v));
  for (const float v : softmax_of({infinity, 1, 2})) EXPECT_TRUE(std::isnan(v));
  every_type({not_a_number, 0, 0});
}

TEST_F(values, A8_A9_the_maximum_does_not_drop_a_nan) {
  for (const row& x : {row{1, not_a_number}, row{not_a_number, 1}, row{not_a_number, -infinity},
                       row{-infinity, not_a_number}, row{infinity, not_a_number}}) {
    for (const float v : softmax_of(x)) EXPECT_TRUE(std::isnan(v));
    every_type(x);
  }
}

// First, middle and last element, the only odd one of its row, beside rows without; all in one call.
TEST_F(values, A2_A3_A8_wherever_it_lies_in_a_row_of_any_width) {
  for (const std::int64_t width : some_widths()) {
    for (const dtypes type : {f16, f32}) {
      const std::int64_t rows = 16;
      row x = normal(rows * width, 2);
      std::int64_t r = 1;
      for (const float odd : {not_a_number, infinity, -infinity}) {
        for (const std::int64_t at : {std::int64_t{0}, width / 2, width - 1})
          x[static_cast<std::size_t>(r++ * width + at)] = odd;
      }
      const auto fill = [&](std::int64_t which, float v) { std::fill_n(x.begin() + which * width, width, v); };
      fill(r, -infinity);
      x[static_cast<std::size_t>(r * width + width / 3)] = not_a_number;  // NaN among nothing but -inf
      fill(r + 1, -infinity);
      fill(r + 2, -infinity);
      x[static_cast<std::size_t>((r + 2) * width + width - 1)] = 5;  // one that survives
      fill(r + 3, infinity);
      softmax_call c;
      c.type = type;
      c.shape = {rows, width};
      check_softmax(c, x);
    }
  }
}

// x * log2(e) as one operand of an FMA overflows the other's bits: NaN for finite inputs.
TEST_F(values, A11_finite_inputs_whose_scaled_form_has_no_bits_left) {
  const row y = softmax_of({3e9f, -3e9f});
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 0);
  for (const float size : {2147483648.0f, 3e9f, 1e20f, 3e38f}) {
    for (const exp_mode m : {exp_mode::fast, exp_mode::accurate}) {
      softmax_call c;
      c.type = f32;
      c.exponential = m;
      c.shape = {2, 300};
      row x = normal(600, size / 8);
      x[0] = size, x[1] = -size, x[299] = size;
      for (float& v : x) v = std::clamp(v, -size, size);
      check_softmax(c, x);
    }
  }
}

TEST_F(values, A13_very_negative_rows_are_ordinary) {
  for (const float v : softmax_of(constant(4, -1e30f))) EXPECT_EQ(v, 0.25f);
  softmax_of(constant(4, -1e30f), bf16);
  softmax_of(constant(4, -65504), f16);
  softmax_of(constant(4, -3.4e38f), f32);
}

TEST_F(values, A15_A16_the_maximum_is_subtracted) {
  const row y = softmax_of({378.1f, -249.9f});
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 0);
  for (const float v : softmax_of(constant(32, 100), bf16)) EXPECT_EQ(v, 1.0f / 32);
}

TEST_F(values, A21_no_sentinel_and_nothing_added_to_the_denominator) {
  every_type({-10000, -10001, -10002, -20000});
  for (const float v : softmax_of(constant(64, -10000))) EXPECT_EQ(v, 1.0f / 64);
  every_type(constant(1000, -30000));
}

TEST_F(values, A22_a_causal_mask_of_minus_infinity) {
  for (const dtypes type : {f16, f32}) {
    softmax_call c;
    c.type = type;
    c.shape = {8, 12, 71, 71};
    row x = normal(count(c.shape));
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i % 71 > i / 71 % 71) x[i] = -infinity;
    }
    for (const float v : check_softmax(c, x).y) ASSERT_TRUE(std::isfinite(v));
  }
}

TEST_F(values, A25_results_below_the_least_normal_number) {
  const row y = softmax_of({90, 2, -2});
  EXPECT_EQ(y[0], 1);
  EXPECT_LE(y[1], 6.06e-39f);
  EXPECT_LE(y[2], 1.2e-40f);
  every_type({90, 2, -2});
}

// Widened inputs and inputs that were wide already give the same row within the bound of both. Their kernels sum in
// another order, so that the contract does not promise the same bits.
TEST_F(values, A27_f16_to_f32_is_what_f32_gives_on_widened_inputs) {
  row x = normal(3 * 1238, 4);
  for (float& v : x) v = half_to_float(float_to_half(v));
  softmax_call c;
  c.shape = {3, 1238};
  c.type = f16_to_f32;
  const row narrow = check_softmax(c, x).y;
  c.type = f32;
  const row wide = check_softmax(c, x).y;
  ASSERT_EQ(narrow.size(), wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_NEAR(narrow[i], wide[i], 4e-6 * wide[i]) << i;
}

TEST_F(values, G6_a_row_of_one_is_one) {
  for (const dtypes type : every_dtype) {
    for (const float v : {0.0f, -0.0f, 1.0f, -65504.0f, 65504.0f}) EXPECT_EQ(softmax_of({v}, type).at(0), 1);
    for (const float v : {not_a_number, infinity, -infinity}) EXPECT_TRUE(std::isnan(softmax_of({v}, type).at(0)));
  }
}

// Inputs of 2^-24 and little more: flushed, every result would be the same.
TEST_F(values, I15_subnormal_f16_inputs_and_results_are_exact) {
  row tiny(512);
  for (std::size_t i = 0; i < tiny.size(); ++i) tiny[i] = static_cast<float>(i) * 0x1p-24f * (i % 2 == 0 ? 1 : -1);
  softmax_call c;
  c.shape = {512};
  c.type = f16_to_f32;
  const row y = check_softmax(c, tiny).y;
  EXPECT_GT(y[510], y[511]);
  row steps(32);  // results from 1 down through the subnormals of f16
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = -static_cast<float>(i) * 0.75f;
  const row low = softmax_of(steps, f16);
  EXPECT_GT(low[20], 0);
  EXPECT_LT(low[20], 0x1p-14f);
  row far = {0, -80, -86, -87, -87.3f, -88, -90, -100, -103, -104, -200};
  every_type(far);
}

TEST_F(values, large_logits) {
  for (const std::int64_t width : some_widths()) {
    softmax_call c;
    c.shape = {4, width};
    c.type = f32;
    check_softmax(c, normal(4 * width, 3000));
    c.exponential = exp_mode::fast;
    check_softmax(c, normal(4 * width, 30));
    c.exponential = exp_mode::by_output;
    c.type = f16;
    row x = normal(4 * width, 6e4f);
    for (float& v : x) v = std::clamp(v, -65504.0f, 65504.0f);
    check_softmax(c, x);
  }
}

// Each element of a flat bf16 row may be correctly rounded and still the row's sum is off by 2e-3.
TEST_F(values, flat_rows_sum_within_their_bound) {
  for (const std::int64_t width : {3, 197}) every_type(constant(width, 1.5f));
}

// |x - max| = 69: exp2(s * log2(e)) alone is 111 ulp off; the accurate form about 1.
TEST_F(values, the_accurate_form_far_from_the_maximum) {
  row x(200);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -0.43f * static_cast<float>(i);
  softmax_of(x, f32);
  softmax_of(x, f16_to_f32);
}

}  // namespace
}  // namespace rowsmith::test
