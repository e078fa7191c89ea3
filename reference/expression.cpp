#include "reference/expression.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "model/expression/instruction.h"
#include "reference/element.h"

namespace rowsmith::reference {

namespace {

double rounded(double v, dtype t) {  // to 16 bits, through fp32: twice rounded only within the bound
  const auto f = static_cast<float>(v);
  return t == dtype::f16 ? half_to_float(float_to_half(f)) : bfloat_to_float(float_to_bfloat(f));
}

// Where bounds leave open whether a number overflows: a number or an infinity, not NaN.
constexpr bounded any_number{0, std::numeric_limits<double>::infinity()};

}  // namespace

bounded of_cast(bounded a, dtype t) {
  const double y = rounded(a.value, t);
  const double low = rounded(a.value - a.error, t), high = rounded(a.value + a.error, t);
  if (low == y && high == y) return {y, 0};
  if (std::isnan(y) && !std::isinf(a.error)) return {y, 0};
  if (std::isinf(y) && std::isfinite(a.value)) return any_number;
  return {y, std::isfinite(y) ? std::max(std::fabs(y - low), std::fabs(high - y)) : INFINITY};
}

namespace {

struct primitive_reference {
  opcode op;
  double ulps;
  double (*of)(double a, double b);
};

// x times a weight that goes to 0 faster than x to -inf: there, the limit.
double weighted(double x, double weight) { return x == -INFINITY ? 0 : x * weight; }
double times_normal(double x) { return weighted(x, 0.5 * std::erfc(-x * std::sqrt(0.5))); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double times_tanh(double x) {  // (1 + tanh(t)) / 2 is logistic(2 t), which loses nothing far below 0
  return weighted(x, logistic(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double or_nan(double a, double b, double v) { return std::isnan(a) || std::isnan(b) ? NAN : v; }

constexpr primitive_reference k_primitives[] = {
    {opcode::negate, 0, [](double a, double) { return -a; }},
    {opcode::abs, 0, [](double a, double) { return std::fabs(a); }},
    {opcode::sqrt, 0.5, [](double a, double) { return std::sqrt(a); }},
    {opcode::exp, 4, [](double a, double) { return std::exp(a); }},
    {opcode::log, 4, [](double a, double) { return std::log(a); }},
    {opcode::log1p, 4, [](double a, double) { return std::log1p(a); }},
    {opcode::tanh, 4, [](double a, double) { return std::tanh(a); }},
    {opcode::erf, 4, [](double a, double) { return std::erf(a); }},
    {opcode::sigmoid, 4, [](double a, double) { return logistic(a); }},
    {opcode::silu, 4, [](double a, double) { return weighted(a, logistic(a)); }},
    {opcode::gelu_tanh, 4, [](double a, double) { return times_tanh(a); }},
    {opcode::gelu_erf, 4, [](double a, double) { return times_normal(a); }},
    {opcode::relu, 0, [](double a, double) { return a < 0 ? 0 : a; }},
    {opcode::add, 0.5, [](double a, double b) { return a + b; }},
    {opcode::subtract, 0.5, [](double a, double b) { return a - b; }},
    {opcode::multiply, 0.5, [](double a, double b) { return a * b; }},
    {opcode::divide, 0.5, [](double a, double b) { return a / b; }},
    {opcode::min, 0, [](double a, double b) { return or_nan(a, b, std::min(a, b)); }},
    {opcode::max, 0, [](double a, double b) { return or_nan(a, b, std::max(a, b)); }},
    {opcode::pow, 4, [](double a, double b) { return std::pow(a, b); }},
};

// The least magnitude that rounds to an infinity in fp32.
constexpr double beyond_fp32 = 0x1.ffffffp+127;

double to_fp32_range(double v) { return std::fabs(v) >= beyond_fp32 ? std::copysign(INFINITY, v) : v; }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// What the operands' bounds leave open between a number, an infinity and NaN has no bound of its own.
bounded of_primitive(const primitive_reference& p, bounded a, bounded b) {
  bounded y{to_fp32_range(p.of(a.value, b.value)), 0};
  const bool of_numbers = std::isfinite(a.value) && std::isfinite(b.value);
  if (std::isinf(a.error) || std::isinf(b.error))
    return of_numbers && std::isinf(y.value) ? any_number : bounded{y.value, INFINITY};
  for (const double da : {-a.error, a.error}) {
    for (const double db : {-b.error, b.error}) {
      const double end = to_fp32_range(p.of(a.value + da, b.value + db));
      if (same(end, y.value)) continue;
      if (std::isinf(y.value) && std::isfinite(end)) return any_number;
      if (!std::isfinite(y.value) || std::isinf(end)) return {y.value, INFINITY};
      const double moved = std::fabs(end - y.value);
      if (moved > y.error) y.error = moved;  // NaN, past the end of a domain, is not
    }
  }
  if (!std::isfinite(y.value)) return y;
  y.error += p.ulps * 2 * half_ulp(dtype::f32, y.value);
  if (std::isinf(to_fp32_range(std::fabs(y.value) + y.error)) && y.error != 0) y.error = INFINITY;
  return y;
}

// A condition on a - b: the answer, open where the bounds reach over 0.
bounded of_comparison(bounded a, bounded b, bool answer) {
  const double room = a.error + b.error;
  return {answer ? 1.0 : 0.0, room != 0 && std::fabs(a.value - b.value) <= room ? 1.0 : 0.0};
}

bounded of_logic(opcode op, bounded a, bounded b) {
  const bounded zero{};
  switch (op) {
    case opcode::less:
      return of_comparison(a, b, a.value < b.value);
    case opcode::less_equal:
      return of_comparison(a, b, a.value <= b.value);
    case opcode::equal:
      return of_comparison(a, b, a.value == b.value);
    case opcode::not_equal:
      return of_comparison(a, b, a.value != b.value);
    case opcode::logical_not:
      return of_comparison(a, zero, a.value == 0);
    default:
      break;
  }
  const bounded x = of_comparison(a, zero, a.value != 0), y = of_comparison(b, zero, b.value != 0);
  const bool both = x.value != 0 && y.value != 0, either = x.value != 0 || y.value != 0;
  return {(op == opcode::logical_and ? both : either) ? 1.0 : 0.0, std::max(x.error, y.error)};
}

bounded of_where(bounded c, bounded a, bounded b) {
  const bounded is_true = of_comparison(c, {}, c.value != 0);
  const bounded taken = is_true.value != 0 ? a : b;
  if (is_true.error == 0) return taken;
  return {taken.value, std::max(a.error, b.error) + std::fabs(a.value - b.value)};
}

bounded of_word(const instruction& i, const std::vector<bounded>& before, std::span<const bounded> args,
                std::span<const double> params) {
  const bounded a = i.operand[0] < before.size() ? before[i.operand[0]] : bounded{};
  const bounded b = i.operand[1] < before.size() ? before[i.operand[1]] : bounded{};
  for (const primitive_reference& p : k_primitives) {
    if (p.op == i.op) return of_primitive(p, a, b);
  }
  switch (i.op) {
    case opcode::argument:
      return args[i.immediate];
    case opcode::parameter:
      return {params[i.immediate], 0};
    case opcode::constant:
      return {std::bit_cast<float>(i.immediate), 0};
    case opcode::output:
      return a;
    case opcode::cast:
      return of_cast(a, static_cast<dtype>(i.immediate));
    case opcode::where:
      return of_where(a, b, before[i.operand[2]]);
    default:
      return of_logic(i.op, a, b);
  }
}

}  // namespace

std::vector<bounded> evaluate(const expression& e, std::span<const bounded> args, std::span<const double> params) {
  std::vector<bounded> values, outputs;
  for (const std::uint64_t word : e.words()) {
    const instruction i = instruction::of(word);
    (i.op == opcode::output ? outputs : values).push_back(of_word(i, values, args, params));
  }
  return outputs;
}

std::vector<bounded> evaluate(const expression& e, std::span<const double> args, std::span<const double> params) {
  std::vector<bounded> exact;
  for (const double v : args) exact.push_back({v});
  return evaluate(e, exact, params);
}

}  // namespace rowsmith::reference
