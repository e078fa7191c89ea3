// arguments: the one argument block that every kernel takes, by value (GPU) or by pointer (host).
//
// kernel_src/row/arguments.h declares the same words as `row_args<Operands, Outer, Inner>`:
//   i64 items, rows, width, blocks; u64 options; void* workspace; float param[8]; i64 extent[Outer + Inner];
//   operand[Operands] { void* data; i64 type; i64 stride[Outer + Inner]; }
// `items` is what the launch divides among its blocks: rows, as a rule. The last Inner axes are a row's own. Axes that
// a call does not have come first in their group, with extent 1 and stride 0. `type` is 0 for an operand that is not
// there, else the frozen value of rowsmith::dtype, plus 256 times (k + 1) where operand k says which row is meant. Of
// what lies in the workspace bits 16-23 are the operand's own dtype, and bit 24 is set: rows lie where they belong, and
// where an operand says which row is meant, it only says whether there is one. A layout that carries an expression is a
// `word_args`: the row_args, and behind them i64 count; u64 words[64].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/facts.h"
#include "model/plan.h"
#include "rowsmith/expr.h"

namespace rowsmith {

class arguments {
 public:
  // Packs `f` for a kernel with room for the operands and axes that `layout` names.
  arguments(const facts& f, const argument_layout& layout, std::int64_t items, std::int64_t blocks,
            void* workspace) noexcept;

  const void* data() const noexcept { return words_.data(); }
  std::size_t size() const noexcept { return count_ * sizeof(std::uint64_t); }

  static constexpr int first_param_word = 6;
  static constexpr int head_words = first_param_word + max_params / 2;

  // The word that is the address of the operand in a place.
  static constexpr int address_word(const argument_layout& layout, int place) noexcept {
    const int axes = layout.outer + layout.inner;
    return head_words + axes + place * (2 + axes);
  }

  static constexpr int most_axes = max_outer + max_inner;

  static constexpr int most_words = head_words + most_axes + max_operands * (2 + most_axes) + 1 + max_expression_words;

 private:
  std::array<std::uint64_t, most_words> words_;
  std::size_t count_ = 0;
};

}  // namespace rowsmith
