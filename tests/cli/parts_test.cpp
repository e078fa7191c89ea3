// The command's own parts: rounding, drawn numbers, the float64 comparison.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "cli/number.h"
#include "cli/reference.h"
#include "cli/tensor_maker.h"

namespace rowsmith::cli {
namespace {

TEST(number, every_f16_survives_the_way_through_float) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto h = static_cast<std::uint16_t>(bits);
    if ((h & 0x7FFF) > 0x7C00) {
      EXPECT_TRUE(std::isnan(from_f16(h)));
    } else {
      ASSERT_EQ(to_f16(from_f16(h)), h);
    }
  }
}

TEST(number, f16_rounds_to_nearest_even) {
  // Between any two neighbours: the middle goes to the even one, a float beside the middle to its own side.
  for (std::uint16_t h = 0; h < 0x7BFF; ++h) {
    const float low = from_f16(h), high = from_f16(h + 1), middle = low + (high - low) / 2;
    ASSERT_EQ(to_f16(middle), (h & 1) ? h + 1 : h) << h;
    ASSERT_EQ(to_f16(std::nextafter(middle, 0.0f)), h) << h;
    ASSERT_EQ(to_f16(std::nextafter(middle, high)), h + 1) << h;
    ASSERT_EQ(to_f16(-middle), 0x8000 | ((h & 1) ? h + 1 : h)) << h;
  }
  EXPECT_EQ(to_f16(65519.99f), 0x7BFF);
  EXPECT_EQ(to_f16(65520.0f), 0x7C00);
  EXPECT_EQ(to_f16(-std::numeric_limits<float>::infinity()), 0xFC00);
}

TEST(number, bf16_rounds_to_nearest_even) {
  for (std::uint32_t b = 0; b < 0x7F80; ++b) {
    const auto h = static_cast<std::uint16_t>(b);
    ASSERT_EQ(to_bf16(from_bf16(h)), h);
    const std::uint32_t middle = (b << 16) | 0x8000;
    float f;
    std::memcpy(&f, &middle, sizeof f);
    ASSERT_EQ(to_bf16(f), (b & 1) ? b + 1 : b);
  }
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(number, half_ulp) {
  EXPECT_EQ(half_ulp(dtype::f32, 1.0), 0x1p-24);
  EXPECT_EQ(half_ulp(dtype::f16, 0.75), 0x1p-12);
  EXPECT_EQ(half_ulp(dtype::bf16, -1.5), 0x1p-8);
  EXPECT_EQ(half_ulp(dtype::f16, 0.0), 0x1p-25);
  EXPECT_EQ(half_ulp(dtype::f32, 1e-300), 0x1p-150);
}

TEST(random, close_to_the_libraries_logarithm_and_circle) {
  // Box and Muller backwards: radius and angle must give back the uniform numbers' own values.
  const distribution normal, uniform{distribution::shape::uniform, 0, 1};
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const two u = draw(uniform, 3, i), n = draw(normal, 3, i);
    const double radius = std::sqrt(-2 * std::log1p(-u.first)), angle = 2 * std::acos(-1.0) * u.second;
    ASSERT_NEAR(n.first, radius * std::cos(angle), 1e-14 * (1 + radius)) << i;
    ASSERT_NEAR(n.second, radius * std::sin(angle), 1e-14 * (1 + radius)) << i;
  }
}

TEST(random, moments) {
  double sum = 0, squares = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const two d = draw({distribution::shape::normal, 3, 2}, 0, i);
    sum += d.first + d.second;
    squares += (d.first - 3) * (d.first - 3) + (d.second - 3) * (d.second - 3);
  }
  EXPECT_NEAR(sum / (2 * n), 3, 0.02);
  EXPECT_NEAR(squares / (2 * n), 4, 0.05);
}

TEST(random, frozen_values) {
  // The same bits on every machine, today and tomorrow.
  const two d = draw({}, 0, 0), e = draw({}, 42, 1000000007);
  EXPECT_EQ(d.first, -0x1.c14033d8878d5p-2);
  EXPECT_EQ(d.second, -0x1.62d5e9df088dap+0);
  EXPECT_EQ(e.first, 0x1.189a6afd59aa5p-1);
  EXPECT_EQ(e.second, 0x1.281533a69c46ap+0);
}

TEST(tensor_maker, threads_do_not_show) {
  constexpr int n = 100001;
  const host_memory whole = make_tensor(dtype::f32, n, {}, 5);
  for (int i = 0; i < n; i += 997) {
    const two d = draw({}, 5, i / 2);
    EXPECT_EQ(load(whole.data(), dtype::f32, i), static_cast<float>(i % 2 == 0 ? d.first : d.second));
  }
}

// y = softmax(x) along the middle axis of 2x3x2, rounded once to float.
std::vector<float> softmax_of(const std::vector<float>& x) {
  std::vector<float> y(12);
  for (int o = 0; o < 2; ++o) {
    for (int i = 0; i < 2; ++i) {
      const auto at = [&](int j) { return o * 6 + j * 2 + i; };
      const double sum = std::exp(x[at(0)]) + std::exp(x[at(1)]) + std::exp(x[at(2)]);
      for (int j = 0; j < 3; ++j) y[at(j)] = static_cast<float>(std::exp(static_cast<double>(x[at(j)])) / sum);
    }
  }
  return y;
}

TEST(reference, accepts_what_is_right_and_sees_what_is_wrong) {
  std::vector<float> x = {0, 1, 2, 3, 4, 5, -1, 0.5f, 2, -3, 1, 1};
  const shape s = {2, 3, 2};
  const auto compare = [&](const std::vector<float>& y) {
    return compare_softmax(x.data(), dtype::f32, y.data(), dtype::f32, s, 1, exp_mode::accurate);
  };
  std::vector<float> y = softmax_of(x);
  EXPECT_LE(compare(y).worst_of_bound, 1);
  EXPECT_EQ(compare(y).rows, 4);
  y[7] += 1e-3f;
  EXPECT_NEAR(compare(y).max_abs_err, 1e-3, 1e-6);
  EXPECT_NEAR(compare(y).max_row_sum_err, 1e-3, 1e-6);
  EXPECT_GT(compare(y).worst_of_bound, 1);
}

TEST(reference, nan_rows_must_be_nan) {
  std::vector<float> x = {0, 1, 2, 3, 4, 5, -1, 0.5f, 2, -3, 1, 1};
  std::vector<float> y = softmax_of(x);
  const shape s = {2, 3, 2};
  const auto compare = [&] {
    return compare_softmax(x.data(), dtype::f32, y.data(), dtype::f32, s, 1, exp_mode::accurate);
  };
  x[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(compare().max_abs_err));
  y[0] = y[2] = y[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LE(compare().worst_of_bound, 1);
  x[2] = 2;
  EXPECT_TRUE(std::isinf(compare().max_abs_err));
}

}  // namespace
}  // namespace rowsmith::cli
