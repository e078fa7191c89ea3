// Gradients against central differences in float64, and at the points where there is a convention instead.
#include <gtest/gtest.h>

#include "support/expression_reference.h"

namespace rowsmith {
namespace {

double at(const expr& e, std::vector<double> args) {
  return test::evaluate(expression::make(e).value(), args)[0].value;
}

struct function {
  const char* name;
  expr of;
};

class gradient_of : public testing::TestWithParam<function> {};

TEST_P(gradient_of, is_the_slope) {
  const expr& f = GetParam().of;
  const double h = 1e-5;
  for (const double a : {0.3, 0.71, 1.9}) {
    for (const double b : {0.45, 1.3, 2.6}) {
      const double by_a = (at(f, {a + h, b}) - at(f, {a - h, b})) / (2 * h);
      const double by_b = (at(f, {a, b + h}) - at(f, {a, b - h})) / (2 * h);
      EXPECT_NEAR(at(gradient(f, 0), {a, b}), by_a, 1e-6 * (1 + std::fabs(by_a))) << a << ", " << b;
      EXPECT_NEAR(at(gradient(f, 1), {a, b}), by_b, 1e-6 * (1 + std::fabs(by_b))) << a << ", " << b;
    }
  }
}

const expr a = arg(0), b = arg(1);

INSTANTIATE_TEST_SUITE_P(
    functions, gradient_of,
    testing::Values(function{"add", a + b}, function{"subtract", a - b}, function{"from_constant", 2 - a* b},
                    function{"multiply", a* b}, function{"square", a* a}, function{"divide", a / b},
                    function{"by_sum", (a - 1) / (a + b)}, function{"negate", -(a* b)}, function{"min", min(a, b* b)},
                    function{"max", max(a, b* b)}, function{"abs", abs(a - b * 0.5f)}, function{"sqrt", sqrt(a + b)},
                    function{"exp", exp(a - b)}, function{"log", log(a* b)}, function{"log1p", log1p(a* b)},
                    function{"tanh", tanh(a - b)}, function{"erf", erf(a - b)}, function{"pow", pow(a, b)},
                    function{"cube", pow(b, 3)}, function{"sigmoid", sigmoid(a - b)}, function{"silu", silu(a - 2 * b)},
                    function{"gelu_tanh", gelu_tanh(a - b)}, function{"gelu_erf", gelu_erf(a - b)},
                    function{"relu", relu(a - b)}, function{"where", where(a < b, a* a, b* exp(a))},
                    function{"swiglu", silu(a) * b}, function{"shared", exp(a) / (1 + exp(a) * b)}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(gradient, second_derivative) {
  const expr slope = gradient(gradient(tanh(a), 0), 0);
  const double t = std::tanh(0.4);
  EXPECT_NEAR(at(slope, {0.4}), -2 * t * (1 - t * t), 1e-6);
}

TEST(gradient, of_what_does_not_move_is_zero) {
  const auto zero = expression::make(constant(0)).value();
  for (const expr& e : {constant(3), param(0), arg(1), a < b, logical_and(a, b), logical_not(a), a == b}) {
    EXPECT_EQ(expression::make(gradient(e, 0)).value(), zero);
  }
}

TEST(gradient, leaves_out_what_nobody_wrote) {
  EXPECT_EQ(expression::make(gradient(a, 0)).value(), expression::make(constant(1)).value());
  EXPECT_EQ(expression::make(gradient(a * b, 0)).value(), expression::make(b).value());
  EXPECT_EQ(expression::make(gradient(exp(a), 0)).value(), expression::make(exp(a)).value());
  EXPECT_EQ(expression::make(gradient(cast(a * b, dtype::f16), 1)).value(), expression::make(a).value());
}

TEST(gradient, conventions) {
  EXPECT_EQ(at(gradient(relu(a), 0), {0}), 0);
  EXPECT_EQ(at(gradient(abs(a), 0), {0}), 0);
  EXPECT_EQ(at(gradient(max(a, b), 0), {2, 2}), 0.5);
  EXPECT_EQ(at(gradient(min(a, b), 1), {2, 2}), 0.5);
  EXPECT_EQ(at(gradient(max(a, b), 0), {1, 2}), 0);
  EXPECT_EQ(at(gradient(pow(a, b), 0), {0, 0}), 0);
  EXPECT_EQ(at(gradient(pow(a, b), 1), {0, 2}), 0);
  EXPECT_EQ(at(gradient(pow(a, 2), 0), {-3}), -6);
}

}  // namespace
}  // namespace rowsmith
