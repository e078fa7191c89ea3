// expression_fragment: what an expr holds: the words of one value and of nothing else, the value's own word last; or
// the reason why there are none.
//
// Every expr is kept in this form, rather than as a tree, because it is bounded: no deep recursion, no walk over a
// graph that is exponentially larger as a tree, whatever a program builds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/expression/instruction.h"
#include "rowsmith/expr.h"

namespace rowsmith {

struct expression_fragment {
  std::vector<std::uint64_t> words;
  std::string failure;  // a sentence; empty: there is none
};

// The door to the insides of the public types.
struct expression_access {
  static const expression_fragment& of(const expr& e) noexcept { return *e.fragment_; }
  static expr wrap(expression_fragment f) { return expr(std::make_shared<const expression_fragment>(std::move(f))); }
  static expression make(std::vector<std::uint64_t> words) { return expression(std::move(words)); }
};

// Words under construction: each is there once.
class word_list {
 public:
  // The place of a word, appended unless it is there.
  std::uint8_t add(const instruction& i);

  // A whole fragment; the place of its last word. REQUIRES: no failure.
  std::uint8_t add(const expression_fragment& f);

  // More than max_expression_words were added: the list is of no use.
  bool too_long() const noexcept { return too_long_; }
  std::vector<std::uint64_t> take() noexcept { return std::move(words_); }

 private:
  std::vector<std::uint64_t> words_;
  bool too_long_ = false;
};

// op of the operands, those of what commutes in their canonical order. The failure of an operand is the answer's.
expr compose(opcode op, std::vector<expr> operands, std::uint32_t immediate = 0);

expr invalid_expr(std::string why);
std::string too_long_message();

}  // namespace rowsmith
