#include "render/expression_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "model/expression/instruction.h"

namespace rowsmith {

namespace {

// {0} {1} {2}: the operands as values; {3} {4}: the first two as masks.
struct verb {
  opcode op;
  std::string_view text;
  bool is_mask = false;  // the text is a condition; the word's value is 1 or 0
};

constexpr verb k_verbs[] = {
    {opcode::negate, "-{0}"},
    {opcode::abs, "m_abs({0})"},
    {opcode::sqrt, "m_sqrt({0})"},
    {opcode::exp, "m_exp({0})"},
    {opcode::log, "m_log({0})"},
    {opcode::log1p, "m_log1p({0})"},
    {opcode::tanh, "m_tanh({0})"},
    {opcode::erf, "m_erf({0})"},
    {opcode::sigmoid, "m_sigmoid({0})"},
    {opcode::silu, "m_silu({0})"},
    {opcode::gelu_tanh, "m_gelu_tanh({0})"},
    {opcode::gelu_erf, "m_gelu_erf({0})"},
    {opcode::relu, "m_relu({0})"},
    {opcode::logical_not, "{0} == T{{}}", true},
    {opcode::add, "{0} + {1}"},
    {opcode::subtract, "{0} - {1}"},
    {opcode::multiply, "{0} * {1}"},
    {opcode::divide, "{0} / {1}"},
    {opcode::min, "m_min({0}, {1})"},
    {opcode::max, "m_max({0}, {1})"},
    {opcode::pow, "m_pow({0}, {1})"},
    {opcode::less, "{0} < {1}", true},
    {opcode::less_equal, "{0} <= {1}", true},
    {opcode::equal, "{0} == {1}", true},
    {opcode::not_equal, "{0} != {1}", true},
    {opcode::logical_and, "{3} & {4}", true},
    {opcode::logical_or, "{3} | {4}", true},
    {opcode::where, "select({3}, {1}, {2})"},
};

const verb* find_verb(opcode op) noexcept {
  const auto at = std::find_if(std::begin(k_verbs), std::end(k_verbs), [op](const verb& v) { return v.op == op; });
  return at == std::end(k_verbs) ? nullptr : at;
}

// Exact.
std::string float_text(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  return std::isfinite(value) ? fmt::format("{:a}f", value) : fmt::format("__builtin_bit_cast(float, {:#x}u)", bits);
}

// What every opcode without a verb is. A number becomes a T by taking 0 away, which keeps -0 (adding 0 does not).
std::string special_text(const instruction& i) {
  switch (i.op) {
    case opcode::argument:
      return fmt::format("a{}", i.immediate);
    case opcode::parameter:
      return fmt::format("p{} - T{{}}", i.immediate);
    case opcode::constant:
      return float_text(i.immediate) + " - T{}";
    default:  // a cast
      return fmt::format("round_to<{}>(v{})", name_of(static_cast<dtype>(i.immediate)), i.operand[0]);
  }
}

bool is_mask(const instruction& i) noexcept {
  const verb* v = find_verb(i.op);
  return v != nullptr && v->is_mask;
}

bool takes_mask(opcode op, int operand) noexcept {
  const verb* v = find_verb(op);
  return v != nullptr && operand < 2 && v->text.find(operand == 0 ? "{3}" : "{4}") != std::string_view::npos;
}

class functor_writer {
 public:
  explicit functor_writer(const expression& e) {
    for (const std::uint64_t w : e.words()) code_.push_back(instruction::of(w));
  }

  // The functor of the output whose word is at `end`.
  std::string write(std::string_view name, unsigned arguments, std::size_t end) const {
    std::string text =
        fmt::format("struct {}_{} {{\n  float p0, p1, p2, p3;\n  template <class T>\n", name, code_[end].immediate);
    text += fmt::format("  RS_MEMBER T operator()({}) const {{\n", parameter_list(arguments));
    const auto wanted = wanted_for(end);
    for (std::size_t at = 0; at < end; ++at) text += statement(at, wanted[at]);
    return text + fmt::format("    return v{};\n  }}\n}};\n", code_[end].operand[0]);
  }

  bool is_output(std::size_t at) const noexcept { return code_[at].op == opcode::output; }

 private:
  static std::string parameter_list(unsigned arguments) {
    std::string text;
    for (int i = 0; i < max_expression_arguments; ++i) {
      if ((arguments >> i & 1) != 0) text += fmt::format("{}T a{}", text.empty() ? "" : ", ", i);
    }
    return text;
  }

  // In which forms a word is wanted: nothing is written that nobody reads.
  enum form : unsigned { as_value = 1, as_mask = 2 };

  std::array<unsigned, max_expression_words> wanted_for(std::size_t end) const {
    std::array<unsigned, max_expression_words> wanted{};
    wanted[end] = as_value;
    for (std::size_t at = end + 1; at-- > 0;) {
      const instruction& i = code_[at];
      if (wanted[at] == 0) continue;
      for (int k = 0; k < describe(i.op).operands; ++k) {
        const bool mask = takes_mask(i.op, k) && is_mask(code_[i.operand[k]]);
        wanted[i.operand[k]] |= mask ? as_mask : as_value;
      }
    }
    return wanted;
  }

  std::string mask(std::size_t at) const {
    return is_mask(code_[at]) ? fmt::format("m{}", at) : fmt::format("(v{} != T{{}})", at);
  }

  std::string statement(std::size_t at, unsigned wanted) const {
    if (wanted == 0) return {};
    const instruction& i = code_[at];
    const verb* v = find_verb(i.op);
    if (v == nullptr) return fmt::format("    const T v{} = {};\n", at, special_text(i));
    const auto value = [&](int k) { return fmt::format("v{}", i.operand[k]); };
    const std::string text =
        fmt::format(fmt::runtime(v->text), value(0), value(1), value(2), mask(i.operand[0]), mask(i.operand[1]));
    if (!v->is_mask) return fmt::format("    const T v{} = {};\n", at, text);
    std::string lines = fmt::format("    const auto m{} = {};\n", at, text);
    if ((wanted & as_value) != 0) {
      lines += fmt::format("    const T v{0} = select(m{0}, 1.0f - T{{}}, T{{}});\n", at);
    }
    return lines;
  }

  std::vector<instruction> code_;
};

}  // namespace

std::string functor_text(const expression& e, std::string_view name) {
  const functor_writer writer(e);
  std::string text;
  int output = 0;
  for (std::size_t at = 0; at < e.words().size(); ++at) {
    if (writer.is_output(at)) text += writer.write(name, e.arguments_of(output++), at);
  }
  return text;
}

}  // namespace rowsmith
