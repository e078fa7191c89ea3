#include "model/op_table.h"

#include <array>

namespace rowsmith {

namespace {

constexpr operand_spec k_x_to_y[] = {{role::x, float_dtypes}, {role::y, float_dtypes}};

constexpr std::array<op_row, 2> k_table = {{
    {op_id::none, "none", "", "", "", {}, 0},
    {op_id::softmax, "softmax", "op/softmax.h", "scalar/softmax.h", "rs_softmax_scalar", k_x_to_y, 1},
}};

}  // namespace

const op_row& describe(op_id op) noexcept {
  for (const op_row& row : k_table) {
    if (row.id == op) return row;
  }
  return k_table[0];
}

const op_row& describe(std::string_view name) noexcept {
  for (const op_row& row : k_table) {
    if (row.name == name) return row;
  }
  return k_table[0];
}

std::span<const op_row> all_ops() noexcept { return std::span(k_table).subspan(1); }

}  // namespace rowsmith
