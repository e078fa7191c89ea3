// opcode: what one word of an expression does. Values are frozen: they are part of records, cache keys and the C ABI,
// and kernel_src/scalar/interpreter.h knows them. The number of operands shows: 1 … 15 none (output: one), 16 … 63 one,
// 64 … 127 two, 128 … three.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rowsmith {

enum class opcode : std::uint8_t {
  argument = 1,   // immediate: which
  parameter = 2,  // immediate: which
  constant = 3,   // immediate: the bits of an fp32
  output = 4,     // its operand is a result; immediate: which

  negate = 16,
  abs = 17,
  sqrt = 18,
  exp = 19,
  log = 20,
  log1p = 21,
  tanh = 22,
  erf = 23,
  sigmoid = 24,
  silu = 25,
  gelu_tanh = 26,
  gelu_erf = 27,
  relu = 28,
  logical_not = 29,
  cast = 30,  // immediate: the dtype

  add = 64,
  subtract = 65,
  multiply = 66,
  divide = 67,
  min = 68,
  max = 69,
  pow = 70,
  less = 71,  // a > b is b < a
  less_equal = 72,
  equal = 73,
  not_equal = 74,
  logical_and = 75,
  logical_or = 76,

  where = 128,
};

// What the immediate of a word means.
enum class immediate : std::uint8_t { none, argument, parameter, fp32, output, dtype };

struct opcode_row {
  opcode op;
  std::string_view name;  // "tanh"; of what people write between operands, that: "+"
  int operands;
  rowsmith::immediate immediate = immediate::none;
  bool commutes = false;
  int binds = 0;  // of what people write between operands: how tightly, 1 to 6
};

// Null for a value that is no opcode.
const opcode_row* find_opcode(std::uint8_t value) noexcept;

// REQUIRES: one of the enumerators.
inline const opcode_row& describe(opcode op) noexcept { return *find_opcode(static_cast<std::uint8_t>(op)); }

std::span<const opcode_row> all_opcodes() noexcept;

}  // namespace rowsmith
