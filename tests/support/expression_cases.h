// expression_cases: every opcode, and expressions that people use, of three arguments and two parameters at the most.
#pragma once

#include <string>
#include <vector>

#include "support/expression_reference.h"

namespace rowsmith::test {

struct expression_case {
  std::string name;
  expression e;
};

inline std::vector<expression_case> expression_cases() {
  const expr a = arg(0), b = arg(1), c = arg(2);
  std::vector<expression_case> all;
  const auto add = [&](const char* name, const expr& e) { all.push_back({name, expression::make(e).value()}); };
  add("negate", -a);
  add("abs", abs(a));
  add("sqrt", sqrt(a));
  add("exp", exp(a));
  add("log", log(a));
  add("log1p", log1p(a));
  add("tanh", tanh(a));
  add("erf", erf(a));
  add("sigmoid", sigmoid(a));
  add("silu", silu(a));
  add("gelu_tanh", gelu_tanh(a));
  add("gelu_erf", gelu_erf(a));
  add("relu", relu(a));
  add("to_f16", cast(a, dtype::f16));
  add("to_bf16", cast(a, dtype::bf16));
  add("add", a + b);
  add("subtract", a - b);
  add("multiply", a * b);
  add("divide", a / b);
  add("min", min(a, b));
  add("max", max(a, b));
  add("pow", pow(a, b));
  add("less", a < b);
  add("less_equal", a <= b);
  add("equal", a == b);
  add("not_equal", a != b);
  add("logical_not", logical_not(a));
  add("logical_and", logical_and(a, b));
  add("logical_or", logical_or(a, b));
  add("where", where(a, b, c));
  add("constant", constant(-0.0f));
  add("parameter", param(1) - param(0) * a);
  add("clamp", min(max(a, constant(-0.5f)), param(1)));
  add("swiglu", silu(a) * b);
  add("rounded_swiglu", cast(silu(a), dtype::bf16) * b);
  add("leaky", where(a > 0, a, 0.01f * a));
  add("masked", where(logical_and(a < b, b != c), c, constant(-INFINITY)));
  add("gelu_tanh_gradient", gradient(gelu_tanh(a), 0) * b);
  add("gelu_erf_gradient", gradient(gelu_erf(a), 0) * b);
  add("silu_gradient", gradient(silu(a), 0) * b);
  add("max_gradient", gradient(max(a, b), 1) * c);
  all.push_back({"three", expression::make({a + b, sqrt(abs(a + b)) / 3.0f, constant(2.5f)}).value()});
  return all;
}

}  // namespace rowsmith::test
