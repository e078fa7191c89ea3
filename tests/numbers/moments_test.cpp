// Mean and variance over any axes, and rows whose elements lie apart or do not merge.
#include <gtest/gtest.h>

#include "support/rows_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class moment : public on_device {
 protected:
  static moments_outcome of_row(const std::vector<float>& row, dtypes type = f32) {
    moments_call c;
    c.type = type;
    c.shape = {1, static_cast<std::int64_t>(row.size())};
    c.axes = {1};
    return check_moments(c, row);
  }
};

TEST_F(moment, any_width_and_dtype) {
  std::vector<std::int64_t> widths = {1, 2, 3, 8, 49, 192, 1000, 1023, 4096, 16385, 70000, 262144, 300001};
  if (under_test().on_host()) widths = {1, 3, 49, 1000, 16385, 300001};
  for (const std::int64_t width : widths) {
    for (const dtypes type : every_dtype) {
      if (under_test().on_host() && type.in != type.out) continue;
      moments_call c;
      c.type = type;
      c.shape = {5, width};
      c.axes = {-1};
      check_moments(c, normal(5 * width, 3));
    }
  }
}

TEST_F(moment, every_set_of_axes) {
  for (int set = 1; set < 16; ++set) {
    moments_call c;
    c.type = set % 2 != 0 ? f16_to_f32 : f32;
    c.shape = {3, 4, 5, 8};
    for (int a = 0; a < 4; ++a) {
      if ((set >> a & 1) != 0) c.axes.push_back(set % 3 == 0 ? a - 4 : a);
    }
    c.keep_axes = set % 2 == 0;
    check_moments(c, normal(480, 2));
    c.x_stride = {8, 1, 4 * 24, 4 * 24 * 5};
    c.x_stride = {4, 1, 12, 60};  // permuted
    check_moments(c, normal(480, 2));
    c.x_stride = {-200, 50, -9, 1};
    check_moments(c, normal(480, 2));
  }
}

TEST_F(moment, F5_channels_first_and_last) {
  for (const dtypes type : {f16_to_f32, bf16, f32}) {
    moments_call c;
    c.type = type;
    c.shape = {4, 24, 7, 10};
    c.axes = {0, 2, 3};
    check_moments(c, normal(4 * 24 * 70));
    c.x_stride = {24 * 70, 1, 240, 24};  // channels last in memory
    check_moments(c, normal(4 * 24 * 70));
    c.axes = {2, 3};
    check_moments(c, normal(4 * 24 * 70));
  }
}

// Few rows of many elements: cut into parts, along memory and across it.
TEST_F(moment, few_rows_of_many_elements) {
  const std::int64_t n = under_test().on_host() ? 300003 : 1200007;
  for (const bool side_by_side : {false, true}) {
    moments_call c;
    c.type = f16_to_f32;
    c.shape = side_by_side ? dims{n, 3} : dims{3, n};
    c.axes = {side_by_side ? 0 : 1};
    check_moments(c, normal(3 * n));
  }
  moments_call c;  // parts of rows whose axes do not merge
  c.shape = {16, 3, n / 16};
  c.axes = {0, 2};
  check_moments(c, normal(count(c.shape)));
}

TEST_F(moment, D1_D7_constant_rows_are_exact) {
  for (const std::int64_t n : {256, 1000, 50257, 300000}) {
    for (const float v : {1234.0f, 1000000.25f, 330000.1f, 0.1f, 1e30f}) {
      const moments_outcome got = of_row(constant(n, v));
      EXPECT_EQ(got.mean[0], v);
      EXPECT_EQ(got.variance[0], 0);
    }
  }
}

TEST_F(moment, D4_D5_a_small_spread_on_a_large_mean) {
  for (const float mean : {100.0f, 1e4f, 1e6f, 1e18f}) {
    for (const std::int64_t n : {16, 1000, 50257}) {
      std::vector<float> row;
      for (std::int64_t i = 0; i < n; ++i) row.push_back(mean * (1 + static_cast<float>(i % 16) * 1e-6f));
      of_row(row);
    }
  }
}

TEST_F(moment, D6_squares_that_overflow) {
  for (const std::int64_t n : {64, 5000, 300000}) {
    const moments_outcome got = of_row(normal(n, 1e30f));
    EXPECT_EQ(got.variance[0], infinity);
  }
}

// Finite elements have a finite mean, even where their sum, or the distance of two, is beyond fp32.
TEST_F(moment, D6_sums_and_distances_that_overflow) {
  constexpr float huge = 3.2e38f;
  for (const std::int64_t width : {2, 7, 64, 1000, 40000, 1048576}) {
    SCOPED_TRACE(width);
    std::vector<float> alternating, one_side, few(static_cast<std::size_t>(width), 1.0f);
    for (std::int64_t i = 0; i < width; ++i) {
      alternating.push_back(i % 2 == 0 ? huge : -huge);
      one_side.push_back(i % 3 == 0 ? huge / 2 : huge);
    }
    few[static_cast<std::size_t>(width / 2)] = -huge;
    for (const std::vector<float>& row : {alternating, one_side, few}) {
      const moments_outcome got = of_row(row);
      if (HasFailure()) return;
      EXPECT_TRUE(std::isfinite(got.mean[0]));
      EXPECT_EQ(got.variance[0], infinity);
    }
  }
}

TEST_F(moment, D14_D17_D18_squares_beyond_half_precision) {
  const moments_outcome got = of_row(normal(768, 496), f16_to_f32);
  EXPECT_GT(got.variance[0], 65504);
}

TEST_F(moment, a_nan_or_an_infinity_makes_both_nan) {
  for (const std::int64_t n : {5, 1000, 50257, 300000}) {
    for (const float bad : {not_a_number, infinity, -infinity}) {
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
        std::vector<float> row = normal(n);
        row[static_cast<std::size_t>(at)] = bad;
        of_row(row);
      }
    }
  }
}

TEST_F(moment, G1_G2_G3_no_rows_and_no_elements) {
  moments_call c;
  c.shape = {3, 0};
  c.axes = {1};
  const moments_outcome got = check_moments(c, {});
  ASSERT_EQ(got.mean.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(got.mean[i]) && std::isnan(got.variance[i]));
  c.axes = {0};
  check_moments(c, {});
  c.shape = {0, 3, 2, 7};
  c.axes = {0, 2};
  check_moments(c, {});
}

TEST_F(moment, without_a_variance) {
  moments_call c;
  c.shape = {9, 100};
  c.axes = {0};
  c.variance = false;
  check_moments(c, normal(900));
}

TEST_F(moment, the_same_bits_again) {
  moments_call c;
  c.type = f16_to_f32;
  c.shape = {4, 300000};
  c.axes = {1};
  const auto bits = check_moments(c, normal(1200000)).bits;
  for (int again = 0; again < 3; ++again) EXPECT_EQ(check_moments(c, normal(1200000)).bits, bits);
}

TEST_F(moment, refusals_name_the_axis) {
  tensor x(under_test().where, dtype::f32, {4, 5}), m(under_test().where, dtype::f32, {4});
  const auto refused = [](const status& s, const char* what) {
    EXPECT_EQ(s.error(), code::invalid_argument);
    EXPECT_NE(s.message().find(what), std::string::npos) << s.to_string();
  };
  refused(moments(x.view(), {2}, m.view()), "axes[0]: is 2");
  refused(moments(x.view(), {1, -1}, m.view()), "axes[1]: is -1");
  refused(moments(x.view(), {}, m.view()), "axes");
  refused(moments(x.view(), {0}, m.view()), "mean: shape");
}

}  // namespace
}  // namespace rowsmith::test
