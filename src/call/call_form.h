// call_form: all of a request that stays from step to step of a program: op, options, and of every operand everything
// but its address, of which the lowest six bits stay (alignment and phase) and whether it is the first operand's.
#pragma once

#include <cstdint>
#include <span>

#include "model/request.h"

namespace rowsmith {

class call_form {
 public:
  explicit call_form(const request& r) noexcept;

  // False: no form tells what the request says, because a number in it is out of bounds.
  bool usable() const noexcept { return count_ != 0; }
  std::span<const std::uint64_t> words() const noexcept { return {word_, count_}; }
  std::uint64_t hash() const noexcept;

 private:
  static constexpr int head_words = 7, operand_words = 1 + 2 * max_rank;

  std::size_t count_ = 0;
  std::uint64_t word_[head_words + max_operands * operand_words + 1];
};

}  // namespace rowsmith
