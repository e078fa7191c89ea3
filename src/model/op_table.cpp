#include "model/op_table.h"

#include <array>

namespace rowsmith {

namespace {

using names = std::string_view;

constexpr std::array k_exponentials = {names("exp_fast"), names("exp_accurate")};
constexpr std::array k_modes = {names("plain"), names("masked")};
constexpr std::array k_mask_forms = {names("no_mask"), names("keep_mask"), names("drop_mask"), names("additive_mask")};

constexpr option_field k_softmax_options[] = {
    {"exp", 0, 1, k_exponentials}, {"mode", 1, 1, k_modes}, {"mask", option_mask_form, 2, k_mask_forms}};

constexpr operand_spec k_softmax[] = {
    {role::x, float_dtypes},
    {role::mask, float_dtypes | bit(dtype::b8), reach::broadcast, false, true},
    {role::bias, float_dtypes, reach::broadcast, false, true},
    {role::causal, bit(dtype::i64), reach::no_memory, false, true},
    {role::y, float_dtypes, reach::full, true},
    {role::lse, bit(dtype::f32), reach::per_row, true, true},
};

constexpr std::array k_table = {
    op_row{op_id::none, "none", "", "", "", {}, {}},
    op_row{op_id::softmax, "softmax", "op/softmax.h", "scalar/softmax.h", "rs_softmax_scalar", k_softmax,
           k_softmax_options},
};

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

const operand_spec* find_spec(const op_row& op, role what) noexcept {
  for (const operand_spec& s : op.operands) {
    if (s.what == what) return &s;
  }
  return nullptr;
}

namespace {

std::uint64_t field_of(const option_field& f, std::uint64_t options) noexcept {
  return options >> f.first_bit & ((std::uint64_t{1} << f.bits) - 1);
}

}  // namespace

std::string functor_of(const op_row& op, std::uint64_t options) {
  std::string text(op.name);
  for (const option_field& f : op.options) {
    text += &f == op.options.data() ? "<" : ", ";
    const std::uint64_t value = field_of(f, options);
    text += value < f.values.size() ? f.values[value] : std::string_view("unknown");
  }
  if (!op.options.empty()) text += ">";
  return text;
}

bool options_are_known(const op_row& op, std::uint64_t options) noexcept {
  for (const option_field& f : op.options) {
    const std::uint64_t value = field_of(f, options);
    if (value >= f.values.size() || f.values[value].empty()) return false;
    options &= ~(((std::uint64_t{1} << f.bits) - 1) << f.first_bit);
  }
  return options == 0;
}

}  // namespace rowsmith
