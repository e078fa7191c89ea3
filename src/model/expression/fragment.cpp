#include "model/expression/fragment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rowsmith {

namespace {

// A total order that depends on the mathematics alone: shorter first, then by words.
bool before(const expr& a, const expr& b) {
  const auto& x = expression_access::of(a).words;
  const auto& y = expression_access::of(b).words;
  return x.size() != y.size() ? x.size() < y.size() : x < y;
}

}  // namespace

std::uint8_t word_list::add(const instruction& i) {
  const std::uint64_t word = i.word();
  const auto found = std::find(words_.begin(), words_.end(), word);
  if (found == words_.end() && words_.size() == max_expression_words) {
    too_long_ = true;
    return 0;
  }
  const auto place = static_cast<std::uint8_t>(found - words_.begin());
  if (found == words_.end()) words_.push_back(word);
  return place;
}

std::uint8_t word_list::add(const expression_fragment& f) {
  std::array<std::uint8_t, max_expression_words> place{};
  for (std::size_t n = 0; n < f.words.size(); ++n) {
    instruction i = instruction::of(f.words[n]);
    for (int k = 0; k < describe(i.op).operands; ++k) i.operand[k] = place[i.operand[k]];
    place[n] = add(i);
  }
  return place[f.words.size() - 1];
}

expr compose(opcode op, std::vector<expr> operands, std::uint32_t immediate) {
  for (const expr& e : operands) {
    if (!expression_access::of(e).failure.empty()) return e;
  }
  if (describe(op).commutes && before(operands[1], operands[0])) std::swap(operands[0], operands[1]);

  word_list list;
  instruction i{op, {}, immediate};
  for (std::size_t k = 0; k < operands.size(); ++k) i.operand[k] = list.add(expression_access::of(operands[k]));
  list.add(i);
  if (list.too_long()) return invalid_expr(too_long_message());
  return expression_access::wrap({list.take(), {}});
}

expr invalid_expr(std::string why) { return expression_access::wrap({{}, std::move(why)}); }

std::string too_long_message() {
  return fmt::format("expression: it takes more than {} instructions, its outputs counted", max_expression_words);
}

}  // namespace rowsmith
