// The derivative, forwards: every word of an expression gets its tangent, by the rule of its opcode.
#include <fmt/format.h>

#include <bit>
#include <optional>

#include "model/expression/fragment.h"

namespace rowsmith {

namespace {

bool is_one(const expr& e) {
  const auto& words = expression_access::of(e).words;
  return words.size() == 1 && words[0] == expression_access::of(constant(1.0f)).words[0];
}

// An expr that may be known to be 0. Its operators leave out terms of 0 and factors of 1: nobody wrote those.
struct tangent {
  std::optional<expr> value;

  expr or_zero() const { return value ? *value : constant(0.0f); }
};

tangent operator-(const tangent& a) { return a.value ? tangent{-*a.value} : a; }
tangent operator+(const tangent& a, const tangent& b) {
  return a.value && b.value ? tangent{*a.value + *b.value} : a.value ? a : b;
}
tangent operator-(const tangent& a, const tangent& b) {
  return a.value && b.value ? tangent{*a.value - *b.value} : a.value ? a : -b;
}
tangent operator*(const tangent& a, const expr& b) {
  if (!a.value) return a;
  return {is_one(*a.value) ? b : *a.value * b};
}
tangent operator/(const tangent& a, const expr& b) { return a.value ? tangent{*a.value / b} : a; }
tangent choose(const expr& condition, const tangent& a, const tangent& b) {
  return a.value || b.value ? tangent{where(condition, a.or_zero(), b.or_zero())} : tangent{};
}

// A word at work: its operands, their tangents, and its own value.
struct step {
  std::vector<expr> x;
  std::vector<tangent> d;
  expr y;
};

// min and max: the side that is taken counts whole, equal sides half; a NaN on either side lets both through.
tangent shared(const step& s, bool smaller) {
  const expr &a = s.x[0], &b = s.x[1];
  const expr tie = a == b, a_loses = smaller ? b < a : a < b, b_loses = smaller ? a < b : b < a;
  const auto weight = [&](const expr& loses) { return where(tie, 0.5f, where(loses, 0.0f, 1.0f)); };
  return s.d[0] * weight(a_loses) + s.d[1] * weight(b_loses);
}

tangent of_pow(const step& s) {
  const expr &a = s.x[0], &b = s.x[1];
  const tangent by_base = s.d[0] * where(b == 0.0f, 0.0f, b * pow(a, b - 1.0f));
  const tangent by_exponent = s.d[1] * where(logical_and(a == 0.0f, b >= 0.0f), 0.0f, s.y * log(a));
  return by_base + by_exponent;
}

constexpr float two_over_root_pi = 0x1.20dd76p+0f;
constexpr float root_half = 0x1.6a09e6p-1f;
constexpr float normal_peak = 0x1.988454p-2f;   // 1 / sqrt(2π)
constexpr float gelu_inner = 0x1.988454p-1f;    // sqrt(2/π)
constexpr float gelu_cubic = 0x1.6e4e26p-5f;    // 0.044715
constexpr float gelu_cubic_3 = 0x1.12ba9cp-3f;  // 3 · 0.044715

tangent of_gelu_erf(const step& s) {
  const expr& x = s.x[0];
  const expr below = 0.5f * (1.0f + erf(x * root_half));  // the normal distribution, and its density
  const expr density = normal_peak * exp(-0.5f * (x * x));
  return s.d[0] * (below + x * density);
}

tangent of_gelu_tanh(const step& s) {
  const expr& x = s.x[0];
  const expr square = x * x;
  const expr t = tanh(gelu_inner * (x + gelu_cubic * (square * x)));
  const expr inner_slope = gelu_inner * (1.0f + gelu_cubic_3 * square);
  return s.d[0] * (0.5f * (1.0f + t) + 0.5f * (x * ((1.0f - t * t) * inner_slope)));
}

tangent of_silu(const step& s) {
  const expr up = sigmoid(s.x[0]);
  return s.d[0] * (up * (1.0f + s.x[0] * (1.0f - up)));
}

struct rule {
  opcode op;
  tangent (*of)(const step&);
};

// Opcodes that are not here have derivative 0 wherever they have one.
constexpr rule k_rules[] = {
    {opcode::negate, [](const step& s) { return -s.d[0]; }},
    {opcode::abs, [](const step& s) { return s.d[0] * where(0.0f < s.x[0], 1.0f, where(s.x[0] < 0.0f, -1.0f, 0.0f)); }},
    {opcode::sqrt, [](const step& s) { return s.d[0] / (2.0f * s.y); }},
    {opcode::exp, [](const step& s) { return s.d[0] * s.y; }},
    {opcode::log, [](const step& s) { return s.d[0] / s.x[0]; }},
    {opcode::log1p, [](const step& s) { return s.d[0] / (1.0f + s.x[0]); }},
    {opcode::tanh, [](const step& s) { return s.d[0] * (1.0f - s.y * s.y); }},
    {opcode::erf, [](const step& s) { return s.d[0] * (two_over_root_pi * exp(-(s.x[0] * s.x[0]))); }},
    {opcode::sigmoid, [](const step& s) { return s.d[0] * (s.y * (1.0f - s.y)); }},
    {opcode::silu, of_silu},
    {opcode::gelu_tanh, of_gelu_tanh},
    {opcode::gelu_erf, of_gelu_erf},
    {opcode::relu, [](const step& s) { return choose(s.x[0] <= 0.0f, tangent{}, s.d[0]); }},
    {opcode::cast, [](const step& s) { return s.d[0]; }},
    {opcode::add, [](const step& s) { return s.d[0] + s.d[1]; }},
    {opcode::subtract, [](const step& s) { return s.d[0] - s.d[1]; }},
    {opcode::multiply, [](const step& s) { return s.d[0] * s.x[1] + s.d[1] * s.x[0]; }},
    {opcode::divide, [](const step& s) { return s.d[0] / s.x[1] - s.d[1] * (s.y / s.x[1]); }},
    {opcode::min, [](const step& s) { return shared(s, true); }},
    {opcode::max, [](const step& s) { return shared(s, false); }},
    {opcode::pow, of_pow},
    {opcode::where, [](const step& s) { return choose(s.x[0], s.d[1], s.d[2]); }},
};

tangent apply_rule(opcode op, const step& s) {
  bool moves = false;
  for (const tangent& d : s.d) moves = moves || d.value;
  if (!moves) return {};
  for (const rule& r : k_rules) {
    if (r.op == op) return r.of(s);
  }
  return {};
}

}  // namespace

expr gradient(const expr& e, int i) {
  if (i < 0 || i >= max_expression_arguments) {
    return invalid_expr(fmt::format("expression: gradient with respect to arg({}): there is only 0 to {}", i,
                                    max_expression_arguments - 1));
  }
  const expression_fragment& f = expression_access::of(e);
  if (!f.failure.empty()) return e;

  std::vector<expr> values;
  std::vector<tangent> tangents;
  for (const std::uint64_t word : f.words) {
    const instruction now = instruction::of(word);
    step s{{}, {}, 0.0f};
    for (int k = 0; k < describe(now.op).operands; ++k) {
      s.x.push_back(values[now.operand[k]]);
      s.d.push_back(tangents[now.operand[k]]);
    }
    s.y = compose(now.op, s.x, now.immediate);
    const bool is_it = now.op == opcode::argument && static_cast<int>(now.immediate) == i;
    tangents.push_back(is_it ? tangent{constant(1.0f)} : apply_rule(now.op, s));
    values.push_back(s.y);
  }
  return tangents.back().or_zero();
}

}  // namespace rowsmith
