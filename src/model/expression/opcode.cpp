#include "model/expression/opcode.h"

#include <array>

namespace rowsmith {

namespace {

constexpr opcode_row k_rows[] = {
    {opcode::argument, "a", 0, immediate::argument},
    {opcode::parameter, "p", 0, immediate::parameter},
    {opcode::constant, "constant", 0, immediate::fp32},
    {opcode::output, "output", 1, immediate::output},

    {opcode::negate, "-", 1, immediate::none, false, 6},
    {opcode::abs, "abs", 1},
    {opcode::sqrt, "sqrt", 1},
    {opcode::exp, "exp", 1},
    {opcode::log, "log", 1},
    {opcode::log1p, "log1p", 1},
    {opcode::tanh, "tanh", 1},
    {opcode::erf, "erf", 1},
    {opcode::sigmoid, "sigmoid", 1},
    {opcode::silu, "silu", 1},
    {opcode::gelu_tanh, "gelu_tanh", 1},
    {opcode::gelu_erf, "gelu_erf", 1},
    {opcode::relu, "relu", 1},
    {opcode::logical_not, "logical_not", 1},
    {opcode::cast, "cast", 1, immediate::dtype},

    {opcode::add, "+", 2, immediate::none, true, 4},
    {opcode::subtract, "-", 2, immediate::none, false, 4},
    {opcode::multiply, "*", 2, immediate::none, true, 5},
    {opcode::divide, "/", 2, immediate::none, false, 5},
    {opcode::min, "min", 2, immediate::none, true},
    {opcode::max, "max", 2, immediate::none, true},
    {opcode::pow, "pow", 2},
    {opcode::less, "<", 2, immediate::none, false, 2},
    {opcode::less_equal, "<=", 2, immediate::none, false, 2},
    {opcode::equal, "==", 2, immediate::none, true, 1},
    {opcode::not_equal, "!=", 2, immediate::none, true, 1},
    {opcode::logical_and, "logical_and", 2, immediate::none, true},
    {opcode::logical_or, "logical_or", 2, immediate::none, true},

    {opcode::where, "where", 3},
};

// Row numbers by value, 1 upwards; 0: no such opcode.
constexpr std::array<std::uint8_t, 256> k_places = [] {
  std::array<std::uint8_t, 256> places{};
  std::uint8_t next = 1;
  for (const opcode_row& r : k_rows) places[static_cast<std::uint8_t>(r.op)] = next++;
  return places;
}();

}  // namespace

const opcode_row* find_opcode(std::uint8_t value) noexcept {
  return k_places[value] == 0 ? nullptr : &k_rows[k_places[value] - 1];
}

std::span<const opcode_row> all_opcodes() noexcept { return k_rows; }

}  // namespace rowsmith
