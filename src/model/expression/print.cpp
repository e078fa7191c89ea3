// Expressions as people write them.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "model/expression/fragment.h"

namespace rowsmith {

namespace {

constexpr int atom = 7;  // binds more tightly than any operator

struct piece {
  std::string text;
  int binds = atom;

  std::string inside(int least) const { return binds < least ? "(" + text + ")" : text; }
};

piece leaf_text(const opcode_row& row, std::uint32_t immediate) {
  if (row.op == opcode::constant) {
    std::string number = fmt::format("{}", std::bit_cast<float>(immediate));
    return {number, number.front() == '-' ? describe(opcode::negate).binds : atom};
  }
  return {fmt::format("{}{}", row.name, immediate)};
}

piece call_text(const opcode_row& row, const std::vector<piece>& operands, std::uint32_t immediate) {
  std::string text = std::string(row.name) + "(";
  for (std::size_t k = 0; k < operands.size(); ++k) text += (k == 0 ? "" : ", ") + operands[k].text;
  if (row.op == opcode::cast) text += fmt::format(", {}", name_of(static_cast<dtype>(immediate)));
  return {text + ")"};
}

piece text_of(const opcode_row& row, const std::vector<piece>& operands, std::uint32_t immediate) {
  if (operands.empty()) return leaf_text(row, immediate);
  if (row.binds == 0) return call_text(row, operands, immediate);
  if (operands.size() == 1) return {std::string(row.name) + operands[0].inside(atom), row.binds};
  // Operators group from the left, as they do in C++; a right operand as tight as its operator stays in parentheses.
  return {fmt::format("{} {} {}", operands[0].inside(row.binds), row.name, operands[1].inside(row.binds + 1)),
          row.binds};
}

}  // namespace

std::string expression::to_string() const {
  std::array<int, max_expression_words> uses{};
  for (const std::uint64_t w : words()) {
    const instruction i = instruction::of(w);
    for (int k = 0; k < describe(i.op).operands; ++k) ++uses[i.operand[k]];
  }
  std::string named, outputs;
  std::vector<piece> pieces;
  int names = 0;
  for (std::size_t at = 0; at < words().size(); ++at) {
    const instruction i = instruction::of(words()[at]);
    const opcode_row& row = describe(i.op);
    std::vector<piece> operands;
    for (int k = 0; k < row.operands; ++k) operands.push_back(pieces[i.operand[k]]);
    if (i.op == opcode::output) {
      outputs += (outputs.empty() ? "" : ", ") + operands[0].text;
      continue;
    }
    piece p = text_of(row, operands, i.immediate);
    if (uses[at] > 1 && row.operands != 0) {
      const std::string name = fmt::format("t{}", names++);
      named += fmt::format("{} = {}; ", name, p.text);
      p = {name};
    }
    pieces.push_back(std::move(p));
  }
  return named + outputs;
}

}  // namespace rowsmith
