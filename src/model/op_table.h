// The op table: one row an op. Adding an op is one row here, one file in kernel_src/op/, its lines in ops.h, its test.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/op.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// A set of dtypes, one bit a frozen value.
constexpr std::uint32_t bit(dtype t) noexcept {
  const auto value = static_cast<unsigned>(t);  // a caller's byte: any value
  return value < 32 ? std::uint32_t{1} << value : 0;
}
constexpr std::uint32_t float_dtypes = bit(dtype::f32) | bit(dtype::f16) | bit(dtype::bf16);

struct operand_spec {
  role what;
  std::uint32_t dtypes;  // allowed, by bit()
  bool optional = false;
};

struct op_row {
  op_id id;
  std::string_view name;                   // "softmax"
  std::string_view header;                 // its file in kernel_src
  std::string_view scalar_header;          // its fallback
  std::string_view scalar_entry;           // the fallback's symbol
  std::span<const operand_spec> operands;  // in order; the first is the one whose shape rules
  int held_floats = 1;  // fp32 values of a row element that the op keeps alive at once: a planner's hint
};

// The row of an op; the row of op_id::none ("none", no operands) for values that are none.
const op_row& describe(op_id op) noexcept;

// By name; the row of none when there is no such op.
const op_row& describe(std::string_view name) noexcept;

std::span<const op_row> all_ops() noexcept;

// Bits of request::options.
constexpr std::uint64_t option_accurate_exp = 1;  // softmax

}  // namespace rowsmith
