// What judges the kernels must itself pass what is right and refuse what is not.
#include <gtest/gtest.h>

#include <cmath>

#include "support/element.h"
#include "support/reference.h"

namespace rowsmith::test::reference {
namespace {

TEST(expected, rounds_as_the_storage_types_do) {
  for (const float v : {0.1f, 65519.0f, 65520.0f, -65536.0f, 6e-8f, 2.9e-8f, 1e-40f, 3.3961775e38f, -0.0f, 2049.0f}) {
    EXPECT_EQ(round_to(dtype::f16, v), half_to_float(float_to_half(v))) << v;
    EXPECT_EQ(round_to(dtype::bf16, v), bfloat_to_float(float_to_bfloat(v))) << v;
    EXPECT_EQ(round_to(dtype::f32, v), v);
  }
  EXPECT_EQ(round_to(dtype::f32, 0x1p-150), 0);
  EXPECT_EQ(round_to(dtype::f32, 0x1.8p-149), 0x1p-148);
  EXPECT_EQ(round_to(dtype::f32, 3.5e38), INFINITY);
  EXPECT_TRUE(std::signbit(round_to(dtype::f16, -1e-30)));
}

TEST(expected, takes_either_neighbour_only_near_a_tie) {
  const double tie = 1 + 0x1p-11;  // between two fp16
  for (const float side : {1.0f, 1 + 0x1p-10f}) EXPECT_TRUE(within({tie, 1e-9}, dtype::f16, side));
  EXPECT_TRUE(within({tie - 1e-6, 1e-9}, dtype::f16, 1.0f));
  EXPECT_FALSE(within({tie - 1e-6, 1e-9}, dtype::f16, 1 + 0x1p-10f));
  EXPECT_FALSE(within({1, 1e-9}, dtype::f16, 1 + 0x1p-10f));
}

TEST(expected, knows_overflow_zero_and_what_is_no_number) {
  EXPECT_TRUE(within({65519.99, 0.1}, dtype::f16, INFINITY));
  EXPECT_FALSE(within({65500, 0.1}, dtype::f16, INFINITY));
  EXPECT_TRUE(within({NAN}, dtype::f32, NAN));
  EXPECT_FALSE(within({NAN}, dtype::f32, 0.0f));
  EXPECT_FALSE(within({0, INFINITY}, dtype::f32, NAN));
  EXPECT_TRUE(within({3, INFINITY}, dtype::f32, -INFINITY));
  for (const double open : {INFINITY, NAN}) {  // which of them is open; a number is none
    EXPECT_TRUE(within({open, INFINITY}, dtype::f32, -INFINITY));
    EXPECT_TRUE(within({open, INFINITY}, dtype::f32, NAN));
    EXPECT_FALSE(within({open, INFINITY}, dtype::f32, 1.0f));
  }
  EXPECT_TRUE(within({0}, dtype::f32, -0.0f));
  EXPECT_FALSE(within({0, 0, true}, dtype::f32, -0.0f));
  EXPECT_FALSE(within(expected(2), dtype::f32, std::vector<float>(3)));
}

}  // namespace
}  // namespace rowsmith::test::reference
