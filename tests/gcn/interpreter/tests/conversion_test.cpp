// numbers.h against the compiler's own halves, over all of them.
#include <gtest/gtest.h>

#include "numbers.h"

namespace rowsmith::gcn {
namespace {

u32 bits_of(_Float16 value) { return std::bit_cast<u16>(value); }

TEST(gcn_numbers, every_half_to_float) {
  for (u32 h = 0; h < 0x10000; ++h) {
    const float expected = static_cast<float>(std::bit_cast<_Float16>(static_cast<u16>(h)));
    if (is_nan(expected)) {
      EXPECT_TRUE(is_nan(half_to_float(h)));
    } else {
      ASSERT_EQ(as_u32(half_to_float(h)), as_u32(expected)) << std::hex << h;
    }
  }
}

TEST(gcn_numbers, float_to_half_rounds_as_the_compiler_does) {
  for (u64 n = 0; n < 0x100000000; n += 977) {
    const float value = as_f32(static_cast<u32>(n));
    if (is_nan(value)) continue;
    ASSERT_EQ(float_to_half(value), bits_of(static_cast<_Float16>(value))) << std::hex << n;
  }
  for (u32 h = 0; h < 0x7c00; ++h) {  // every tie between two halves
    const float low = half_to_float(h), high = h == 0x7bff ? 65536.0f : half_to_float(h + 1), tie = (low + high) / 2;
    ASSERT_EQ(float_to_half(tie), h + (h & 1)) << std::hex << h;
    ASSERT_EQ(float_to_half_toward_zero(tie), h);
    ASSERT_EQ(float_to_half_toward_zero(-tie), h | 0x8000);
  }
}

TEST(gcn_numbers, fused_half_multiply_add_rounds_once) {
  u32 state = 1;
  const auto half = [&] { return state = state * 1664525 + 1013904223, half_to_float(state >> 16 & 0x7bff); };
  for (int n = 0; n < 200000; ++n) {
    const float a = half(), b = half(), c = n & 1 ? half() : -half();
    if (is_nan(a + b + c)) continue;
    const long double exact = static_cast<long double>(a) * b + c;  // 64 bits hold all but the widest apart
    const float nearest = half_to_float(half_fma(a, b, c));
    if (std::isinf(nearest)) continue;
    const long double error = std::fabs(exact - nearest);
    const u32 at = float_to_half(std::fabs(nearest));
    const float ulp = half_to_float(at + 1) - half_to_float(at);
    ASSERT_LE(error, 0.5L * ulp) << a << " " << b << " " << c;
  }
  // The product lies just above a tie, by less than a double's last bit of the sum would show after one rounding.
  EXPECT_EQ(half_fma(0x1p-14f, 0x1p-14f, 1 + 0x1p-10f), 0x3c01u);
  EXPECT_EQ(half_fma(0x1p-24f, 0x1p-24f, 2049.0f - 1), 0x6800u);
}

TEST(gcn_numbers, minimum_and_maximum) {
  const float nan = std::nanf("");
  EXPECT_EQ(greater_of(nan, 1), 1);
  EXPECT_EQ(greater_of(1, nan), 1);
  EXPECT_EQ(lesser_of(nan, 1), 1);
  EXPECT_TRUE(is_nan(greater_of(nan, nan)));
  EXPECT_FALSE(std::signbit(greater_of(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(greater_of(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(lesser_of(0.0f, -0.0f)));
  EXPECT_EQ(median_of(3.0f, 1.0f, 2.0f), 2);
  EXPECT_EQ(median_of(3.0f, nan, 2.0f), 2);
}

}  // namespace
}  // namespace rowsmith::gcn
