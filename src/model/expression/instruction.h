// instruction: one word of an expression, taken apart.
//
//   bits 0-7 opcode   8-15, 16-23, 24-31 operands: places of earlier words   32-63 immediate (see opcode.h)
//
// What an opcode does not use is 0. The words of outputs come last, in their order; nothing takes one as its operand.
#pragma once

#include <array>
#include <cstdint>

#include "model/expression/opcode.h"

namespace rowsmith {

struct instruction {
  opcode op;
  std::array<std::uint8_t, 3> operand{};
  std::uint32_t immediate = 0;

  constexpr std::uint64_t word() const noexcept {
    return static_cast<std::uint64_t>(op) | std::uint64_t{operand[0]} << 8 | std::uint64_t{operand[1]} << 16 |
           std::uint64_t{operand[2]} << 24 | std::uint64_t{immediate} << 32;
  }

  static constexpr instruction of(std::uint64_t word) noexcept {
    const auto byte = [word](int i) { return static_cast<std::uint8_t>(word >> 8 * i); };
    return {static_cast<opcode>(byte(0)), {byte(1), byte(2), byte(3)}, static_cast<std::uint32_t>(word >> 32)};
  }
};

}  // namespace rowsmith
