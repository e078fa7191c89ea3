// Words from a file or from C: checked one by one, then built again with the same functions as everything else.
#include <fmt/format.h>

#include <bit>
#include <span>

#include "model/expression/fragment.h"

namespace rowsmith {

namespace {

using words_view = std::span<const std::uint64_t>;

// What is wrong with an immediate; nothing: "".
std::string wrong_immediate(const opcode_row& row, std::uint32_t value, std::uint32_t outputs_before) {
  const auto in_range = [&](int end) {
    return value < static_cast<std::uint32_t>(end)
               ? std::string()
               : fmt::format("there is no {} {}, only 0 to {}", row.op == opcode::argument ? "argument" : "parameter",
                             value, end - 1);
  };
  switch (row.immediate) {
    case immediate::argument:
      return in_range(max_expression_arguments);
    case immediate::parameter:
      return in_range(max_expression_parameters);
    case immediate::fp32:
      return {};
    case immediate::output:
      return value == outputs_before ? std::string() : fmt::format("output {} where {} is due", value, outputs_before);
    case immediate::dtype: {
      const auto allowed = [value](dtype t) { return value == static_cast<std::uint32_t>(t); };
      const bool fine = allowed(dtype::f32) || allowed(dtype::f16) || allowed(dtype::bf16);
      return fine ? std::string() : fmt::format("cast to dtype {}, only f32, f16 and bf16 are allowed", value);
    }
    case immediate::none:
      break;
  }
  return value == 0 ? std::string() : fmt::format("{} takes no immediate, {:#x} is there", row.name, value);
}

// What is wrong with word `at`, of which so many outputs stand before; nothing: "".
std::string wrong_word(words_view words, std::size_t at, std::uint32_t outputs_before) {
  const instruction i = instruction::of(words[at]);
  const opcode_row* row = find_opcode(static_cast<std::uint8_t>(i.op));
  if (row == nullptr) return fmt::format("there is no opcode {}", static_cast<int>(i.op));
  if (outputs_before != 0 && i.op != opcode::output) return fmt::format("{} after an output", row->name);
  for (int k = 0; k < 3; ++k) {
    const std::size_t operand = i.operand[k];
    if (k >= row->operands && operand != 0) return fmt::format("{} takes {} operands", row->name, row->operands);
    if (k >= row->operands) continue;
    if (operand >= at) return fmt::format("operand {} is word {}, which is not before it", k, operand);
    if (instruction::of(words[operand]).op == opcode::output) return fmt::format("operand {} is an output", k);
  }
  return wrong_immediate(*row, i.immediate, outputs_before);
}

// The first fault, as a sentence; none: "".
std::string fault_of(words_view words) {
  if (words.empty() || words.size() > max_expression_words) {
    return fmt::format("expression: {} words, 1 to {} are allowed", words.size(), max_expression_words);
  }
  std::uint32_t outputs = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (std::string wrong = wrong_word(words, at, outputs); !wrong.empty()) {
      return fmt::format("expression: word {}: {}", at, wrong);
    }
    if (instruction::of(words[at]).op == opcode::output) ++outputs;
  }
  if (outputs == 0 || outputs > max_expression_outputs) {
    return fmt::format("expression: {} outputs, 1 to {} are allowed", outputs, max_expression_outputs);
  }
  return {};
}

expr rebuilt(const instruction& i, const std::vector<expr>& before) {
  std::vector<expr> operands;
  for (int k = 0; k < describe(i.op).operands; ++k) operands.push_back(before[i.operand[k]]);
  // These two have forms that are not canonical: a NaN of another payload, a cast that changes nothing.
  if (i.op == opcode::constant) return constant(std::bit_cast<float>(i.immediate));
  if (i.op == opcode::cast) return cast(operands[0], static_cast<dtype>(i.immediate));
  return compose(i.op, std::move(operands), i.immediate);
}

// The outputs. REQUIRES: well-formed words.
std::vector<expr> outputs_of(words_view words) {
  std::vector<expr> values, outputs;
  for (const std::uint64_t w : words) {
    const instruction i = instruction::of(w);
    if (i.op == opcode::output) {
      outputs.push_back(values[i.operand[0]]);
    } else {
      values.push_back(rebuilt(i, values));
    }
  }
  return outputs;
}

}  // namespace

result<expression> expression::from_words(const std::uint64_t* words, std::size_t count) {
  const words_view view(words, count);
  if (std::string fault = fault_of(view); !fault.empty()) return status(code::invalid_argument, std::move(fault));
  const std::vector<expr> outputs = outputs_of(view);
  return make(outputs.data(), outputs.size());
}

expr expression::output(int n) const { return outputs_of(words())[static_cast<std::size_t>(n)]; }

}  // namespace rowsmith
