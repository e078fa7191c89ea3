// Expressions as people read them, and as compilers do.
#include <gtest/gtest.h>

#include <cmath>

#include "render/expression_text.h"

namespace rowsmith {
namespace {

const expr a = arg(0), b = arg(1), c = arg(2);

std::string text(const expr& e) { return expression::make(e).value().to_string(); }

TEST(to_string, reads_as_it_is_written) {
  EXPECT_EQ(text(silu(a) * b + param(0)), "p0 + a1 * silu(a0)");
  EXPECT_EQ(text((a - b) - c), "a0 - a1 - a2");
  EXPECT_EQ(text(a - (b - c)), "a0 - (a1 - a2)");
  EXPECT_EQ(text((a + b) * c), "a2 * (a0 + a1)");
  EXPECT_EQ(text(a / (b / c)), "a0 / (a1 / a2)");
  EXPECT_EQ(text(-(a * b)), "-(a0 * a1)");
  EXPECT_EQ(text(where(a > 0.5f, a, -b)), "where(0.5 < a0, a0, -a1)");
  EXPECT_EQ(text(cast(pow(a, 2), dtype::bf16)), "cast(pow(a0, 2), bf16)");
  EXPECT_EQ(text(a - -3.0f), "a0 - -3");
  EXPECT_EQ(text((a < b) == c), "a2 == a0 < a1");
  EXPECT_EQ(text(logical_or(a, logical_not(b))), "logical_or(a0, logical_not(a1))");
}

TEST(to_string, names_what_is_used_twice) {
  EXPECT_EQ(text(exp(a) / (1 + exp(a))), "t0 = exp(a0); t0 / (1 + t0)");
  EXPECT_EQ(expression::make({a * b, (a * b) + 1.0f}).value().to_string(), "t0 = a0 * a1; t0, 1 + t0");
}

TEST(functor_text, a_functor_an_output) {
  const auto e = expression::make({silu(arg(2)) * a, where(a <= 0.1f, param(1), constant(-0.0f))}).value();
  EXPECT_EQ(functor_text(e, "post"), R"(struct post_0 {
  float p0, p1, p2, p3;
  template <class T>
  RS_MEMBER T operator()(T a0, T a2) const {
    const T v0 = a0;
    const T v1 = a2;
    const T v2 = m_silu(v1);
    const T v3 = v0 * v2;
    return v3;
  }
};
struct post_1 {
  float p0, p1, p2, p3;
  template <class T>
  RS_MEMBER T operator()(T a0) const {
    const T v0 = a0;
    const T v4 = 0x1.99999ap-4f - T{};
    const auto m5 = v0 <= v4;
    const T v6 = p1 - T{};
    const T v7 = -0x0p+0f - T{};
    const T v8 = select(m5, v6, v7);
    return v8;
  }
};
)");
}

TEST(functor_text, conditions_that_are_values) {
  const auto e = expression::make(logical_and(a, a < b)).value();
  const std::string t = functor_text(e, "f");
  EXPECT_NE(t.find("const auto m3 = (v0 != T{}) & m2;"), std::string::npos) << t;
  EXPECT_NE(t.find("const T v3 = select(m3, 1.0f - T{}, T{});"), std::string::npos) << t;
  EXPECT_EQ(t.find("v2"), std::string::npos) << t;
}

TEST(functor_text, what_is_not_finite) {
  const std::string t = functor_text(expression::make({constant(NAN), constant(-INFINITY)}).value(), "f");
  EXPECT_NE(t.find("__builtin_bit_cast(float, 0x7fc00000u) - T{}"), std::string::npos) << t;
  EXPECT_NE(t.find("__builtin_bit_cast(float, 0xff800000u) - T{}"), std::string::npos) << t;
}

}  // namespace
}  // namespace rowsmith
