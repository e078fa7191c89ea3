// expression_id: an expression by the hash of its words (XXH3-128). See expr.h.
#pragma once

#include <cstdint>

namespace rowsmith {

struct expression_id {
  std::uint64_t word[2] = {0, 0};  // both 0: none

  explicit operator bool() const noexcept { return (word[0] | word[1]) != 0; }
  friend bool operator==(const expression_id& a, const expression_id& b) noexcept {
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
  }
  friend bool operator!=(const expression_id& a, const expression_id& b) noexcept { return !(a == b); }
};

}  // namespace rowsmith
