// The building blocks that people write expressions with.
#include "rowsmith/expr.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "model/expression/fragment.h"

namespace rowsmith {

namespace {

constexpr std::uint32_t quiet_nan = 0x7fc00000u;

expr leaf(opcode op, std::string_view name, int i, int end) {
  if (i < 0 || i >= end) {
    return invalid_expr(fmt::format("expression: there is no {}({}), only 0 to {}", name, i, end - 1));
  }
  return compose(op, {}, static_cast<std::uint32_t>(i));
}

}  // namespace

expr::expr(float value) : expr(constant(value)) {}

expr arg(int i) { return leaf(opcode::argument, "arg", i, max_expression_arguments); }
expr param(int k) { return leaf(opcode::parameter, "param", k, max_expression_parameters); }
expr constant(float value) {
  return compose(opcode::constant, {}, std::isnan(value) ? quiet_nan : std::bit_cast<std::uint32_t>(value));
}

expr operator-(const expr& a) { return compose(opcode::negate, {a}); }
expr operator+(const expr& a, const expr& b) { return compose(opcode::add, {a, b}); }
expr operator-(const expr& a, const expr& b) { return compose(opcode::subtract, {a, b}); }
expr operator*(const expr& a, const expr& b) { return compose(opcode::multiply, {a, b}); }
expr operator/(const expr& a, const expr& b) { return compose(opcode::divide, {a, b}); }
expr min(const expr& a, const expr& b) { return compose(opcode::min, {a, b}); }
expr max(const expr& a, const expr& b) { return compose(opcode::max, {a, b}); }

expr operator<(const expr& a, const expr& b) { return compose(opcode::less, {a, b}); }
expr operator<=(const expr& a, const expr& b) { return compose(opcode::less_equal, {a, b}); }
expr operator>(const expr& a, const expr& b) { return b < a; }
expr operator>=(const expr& a, const expr& b) { return b <= a; }
expr operator==(const expr& a, const expr& b) { return compose(opcode::equal, {a, b}); }
expr operator!=(const expr& a, const expr& b) { return compose(opcode::not_equal, {a, b}); }
expr logical_not(const expr& a) { return compose(opcode::logical_not, {a}); }
expr logical_and(const expr& a, const expr& b) { return compose(opcode::logical_and, {a, b}); }
expr logical_or(const expr& a, const expr& b) { return compose(opcode::logical_or, {a, b}); }
expr where(const expr& condition, const expr& a, const expr& b) { return compose(opcode::where, {condition, a, b}); }

expr abs(const expr& a) { return compose(opcode::abs, {a}); }
expr sqrt(const expr& a) { return compose(opcode::sqrt, {a}); }
expr exp(const expr& a) { return compose(opcode::exp, {a}); }
expr log(const expr& a) { return compose(opcode::log, {a}); }
expr log1p(const expr& a) { return compose(opcode::log1p, {a}); }
expr tanh(const expr& a) { return compose(opcode::tanh, {a}); }
expr erf(const expr& a) { return compose(opcode::erf, {a}); }
expr pow(const expr& a, const expr& b) { return compose(opcode::pow, {a, b}); }
expr sigmoid(const expr& a) { return compose(opcode::sigmoid, {a}); }
expr silu(const expr& a) { return compose(opcode::silu, {a}); }
expr gelu_tanh(const expr& a) { return compose(opcode::gelu_tanh, {a}); }
expr gelu_erf(const expr& a) { return compose(opcode::gelu_erf, {a}); }
expr relu(const expr& a) { return compose(opcode::relu, {a}); }

expr cast(const expr& a, dtype to) {
  if (to == dtype::f32) return a;
  if (to != dtype::f16 && to != dtype::bf16) {
    return invalid_expr(fmt::format("expression: cast to {} is not allowed, only to f32, f16 and bf16", name_of(to)));
  }
  return compose(opcode::cast, {a}, static_cast<std::uint32_t>(to));
}

}  // namespace rowsmith
