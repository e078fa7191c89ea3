// The ops by number and by name. Values are frozen: they are part of records and of cache keys.
#pragma once

#include <cstdint>
#include <string_view>

namespace rowsmith {

enum class op_id : std::uint16_t {
  none = 0,
  softmax = 1,
  log_softmax = 2,
  softmax_backward = 3,
  log_softmax_backward = 4,
  layer_norm = 5,
  rms_norm = 6,
  add_layer_norm = 7,
  add_rms_norm = 8,
  layer_norm_backward = 9,
  rms_norm_backward = 10,
  moments = 11,
  gather_rows = 12,
  gather_rows_backward = 13,
  copy = 14,
  elementwise = 15,
};

// What an operand is to its op. Values are frozen. `in1` … are an expression's further arguments, `out1` … its further
// results.
enum class role : std::uint8_t {
  x = 1,
  y = 2,
  mask = 3,
  bias = 4,
  weight = 5,
  residual = 6,
  sum = 7,
  lse = 8,
  mean = 9,
  rstd = 10,
  variance = 11,
  dy = 12,
  dx = 13,
  dweight = 14,
  dbias = 15,
  index = 16,
  causal = 17,
  index2 = 18,
  in1 = 21,
  in2,
  in3,
  in4,
  in5,
  in6,
  in7,
  out1 = 31,
  out2,
  out3,
};

// Does the operand say which row of another one is meant?
constexpr bool is_index(role r) noexcept { return r == role::index || r == role::index2; }

constexpr role argument_role(int argument) noexcept {
  return argument == 0 ? role::x : static_cast<role>(static_cast<int>(role::in1) + argument - 1);
}

constexpr bool is_argument(role r) noexcept { return r >= role::in1 && r <= role::in7; }

std::string_view name_of(role r) noexcept;

constexpr int max_operands = 16;

// Axes of a call after collapsing: rows have at most max_outer, and the reduced axes stay at most max_inner.
constexpr int max_outer = 7;
constexpr int max_inner = 8;

// Run-time scalars: an expression's param(k) first, then the op's own.
constexpr int expression_params = 4;
constexpr int max_params = 8;
constexpr int first_op_param = expression_params;

}  // namespace rowsmith
