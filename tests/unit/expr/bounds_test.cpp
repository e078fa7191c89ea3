// Bounds of expressions at the ends of what fp32 holds.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "reference/expression.h"

namespace rowsmith::test {
namespace {

reference::bounded of(const expr& e, double a, double b = 0) {
  const double args[] = {a, b};
  return reference::evaluate(expression::make(e).value(), args)[0];
}

TEST(expression_reference, rounds_to_an_infinity_where_fp32_does) {
  EXPECT_EQ(of(arg(0) + arg(1), FLT_MAX, 1).value, FLT_MAX);  // half a unit and less is rounded away
  EXPECT_EQ(of(arg(0) + arg(1), FLT_MAX, 0x1p103).value, INFINITY);
  EXPECT_EQ(of(arg(0) * arg(1), 1e30, 1e30).value, INFINITY);
}

// exp(1000) is an infinity; (3e38)^-1.5 is no number of fp32, and may be 0.
TEST(expression_reference, leaves_an_infinity_times_what_may_be_nothing_open) {
  EXPECT_TRUE(std::isinf(of(exp(arg(0)) * pow(arg(1), -1.5f), 1000, 3e38).error));
  EXPECT_EQ(of(exp(arg(0)) * pow(arg(1), -1.5f), 1000, 4).error, 0);  // and this is +inf
  EXPECT_TRUE(std::isnan(of(exp(arg(0)) * arg(1), 1000, 0).value));
}

TEST(expression_reference, leaves_an_overflow_within_the_bounds_open) {
  const double edge = std::log(static_cast<double>(FLT_MAX));
  EXPECT_TRUE(std::isinf(of(exp(arg(0)), edge).error));
  EXPECT_TRUE(std::isinf(of(-exp(arg(0)) + arg(1), edge, 1).error));  // and whatever is made of it
}

}  // namespace
}  // namespace rowsmith::test
