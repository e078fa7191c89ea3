#include "model/op_table.h"

#include <array>

namespace rowsmith {

namespace {

using names = std::string_view;

constexpr std::array k_exponentials = {names("exp_fast"), names("exp_accurate")};
constexpr std::array k_modes = {names("plain"), names("masked")};
constexpr std::array k_mask_forms = {names("no_mask"), names("keep_mask"), names("drop_mask"), names("additive_mask")};
constexpr std::array k_scales = {names("no_scale"), names("with_scale")};

constexpr option_field k_softmax_options[] = {{"exp", 0, 1, k_exponentials, true},
                                              {"mode", 1, 1, k_modes},
                                              {"mask", option_mask_form, 2, k_mask_forms},
                                              {"scale", 4, 1, k_scales}};
constexpr option_field k_softmax_backward_options[] = {{"mode", 1, 1, k_modes}, {"scale", 4, 1, k_scales}};
constexpr option_field k_log_softmax_backward_options[] = {
    {"exp", 0, 1, k_exponentials, true}, {"mode", 1, 1, k_modes}, {"scale", 4, 1, k_scales}};
constexpr param_spec k_softmax_params[] = {{"scale", 1.0f}};

constexpr operand_spec k_softmax[] = {
    {role::x, float_dtypes},
    {role::mask, float_dtypes | bit(dtype::b8), reach::broadcast, false, true},
    {role::bias, float_dtypes, reach::broadcast, false, true},
    {role::causal, bit(dtype::i64), reach::no_memory, false, true},
    {role::y, float_dtypes, reach::full, true},
    {role::lse, bit(dtype::f32), reach::per_row, true, true},
    {role::index, index_dtypes, reach::per_row, false, true},
    {role::in1, float_dtypes, reach::broadcast, false, true},
    {role::in2, float_dtypes, reach::broadcast, false, true},
    {role::in3, float_dtypes, reach::broadcast, false, true},
};

constexpr operand_spec k_softmax_backward[] = {
    {role::y, float_dtypes},
    {role::dy, float_dtypes},
    {role::dx, float_dtypes, reach::full, true},
    {role::in1, float_dtypes, reach::broadcast, false, true},
};

constexpr std::array k_weights = {names("weight_alone"), names("one_plus_weight")};
constexpr std::array k_casts = {names("cast_last"), names("cast_before_weight")};
constexpr std::array k_roundings = {names("round_residual"), names("keep_residual")};
constexpr std::array k_orders = {names("residual_first"), names("residual_last")};

constexpr option_field k_norm_options[] = {{"weight", 0, 1, k_weights}, {"cast", 1, 1, k_casts}};
constexpr option_field k_add_norm_options[] = {
    {"weight", 0, 1, k_weights}, {"cast", 1, 1, k_casts}, {"round_residual", 2, 1, k_roundings}, {"residual", 3, 1, k_orders}};
constexpr option_field k_norm_backward_options[] = {{"weight", 0, 1, k_weights}};
constexpr param_spec k_norm_params[] = {{"eps", 1e-5f, true}};

constexpr operand_spec k_norm[] = {
    {role::x, float_dtypes},
    {role::weight, float_dtypes, reach::per_column, false, true},
    {role::bias, float_dtypes, reach::per_column, false, true},
    {role::y, float_dtypes, reach::full, true},
    {role::mean, float_dtypes, reach::per_row, true, true},
    {role::rstd, float_dtypes, reach::per_row, true, true},
    {role::index, index_dtypes, reach::per_row, false, true},
    {role::in1, float_dtypes, reach::broadcast, false, true},
    {role::in2, float_dtypes, reach::broadcast, false, true},
    {role::in3, float_dtypes, reach::broadcast, false, true},
};

constexpr operand_spec k_add_norm[] = {
    {role::x, float_dtypes},
    {role::residual, float_dtypes},
    {role::weight, float_dtypes, reach::per_column, false, true},
    {role::bias, float_dtypes, reach::per_column, false, true},
    {role::y, float_dtypes, reach::full, true},
    {role::sum, float_dtypes, reach::full, true, true},
    {role::mean, float_dtypes, reach::per_row, true, true},
    {role::rstd, float_dtypes, reach::per_row, true, true},
    {role::index, index_dtypes, reach::per_row, false, true},
    {role::index2, index_dtypes, reach::per_row, false, true},
    {role::in1, float_dtypes, reach::broadcast, false, true},
    {role::in2, float_dtypes, reach::broadcast, false, true},
};

constexpr operand_spec k_norm_backward[] = {
    {role::x, float_dtypes},
    {role::dy, float_dtypes},
    {role::weight, float_dtypes, reach::per_column, false, true},
    {role::dx, float_dtypes, reach::full, true, true},
    {role::dweight, float_dtypes, reach::per_column, true, true},
    {role::dbias, float_dtypes, reach::per_column, true, true},
    {role::in1, float_dtypes, reach::broadcast, false, true},
};

constexpr operand_spec k_moments[] = {
    {role::x, float_dtypes},
    {role::mean, float_dtypes, reach::per_row, true},
    {role::variance, float_dtypes, reach::per_row, true, true},
    {role::in1, float_dtypes, reach::broadcast, false, true},
};

constexpr operand_spec k_gather_rows[] = {
    {role::x, float_dtypes},
    {role::y, float_dtypes, reach::full, true},
    {role::index, index_dtypes, reach::per_row},
};
constexpr operand_spec k_gather_rows_backward[] = {
    {role::dy, float_dtypes},
    {role::dx, float_dtypes, reach::full, true},
    {role::index, index_dtypes, reach::per_row},
};

constexpr std::uint32_t moved_dtypes = bit(dtype::b8) | bit(dtype::i32) | bit(dtype::i64);
constexpr operand_spec k_copy[] = {
    {role::x, float_dtypes | moved_dtypes, reach::broadcast},
    {role::y, float_dtypes | moved_dtypes, reach::full, true},
};

constexpr std::uint32_t argument_dtypes = float_dtypes | bit(dtype::b8);
constexpr operand_spec k_elementwise[] = {
    {role::x, argument_dtypes, reach::broadcast},
    {role::in1, argument_dtypes, reach::broadcast, false, true},
    {role::in2, argument_dtypes, reach::broadcast, false, true},
    {role::in3, argument_dtypes, reach::broadcast, false, true},
    {role::in4, argument_dtypes, reach::broadcast, false, true},
    {role::in5, argument_dtypes, reach::broadcast, false, true},
    {role::in6, argument_dtypes, reach::broadcast, false, true},
    {role::in7, argument_dtypes, reach::broadcast, false, true},
    {role::y, float_dtypes, reach::full, true},
    {role::out1, float_dtypes, reach::full, true, true},
    {role::out2, float_dtypes, reach::full, true, true},
    {role::out3, float_dtypes, reach::full, true, true},
};

// A row of the table; the fallback's entry follows from the name.
constexpr op_row k_none{op_id::none, "none", "", "", "", {}, {}, {}};

constexpr std::array k_table = {
    k_none,
    op_row{op_id::softmax, "softmax", "op/softmax.h", "scalar/softmax.h", "rs_softmax_scalar", k_softmax,
           k_softmax_options, k_softmax_params},
    op_row{op_id::log_softmax, "log_softmax", "op/log_softmax.h", "scalar/softmax.h", "rs_log_softmax_scalar", k_softmax,
           k_softmax_options, k_softmax_params},
    op_row{op_id::softmax_backward, "softmax_backward", "op/softmax_backward.h", "scalar/softmax_backward.h",
           "rs_softmax_backward_scalar", k_softmax_backward, k_softmax_backward_options, k_softmax_params,
           reduces::axis, 2},
    op_row{op_id::log_softmax_backward, "log_softmax_backward", "op/log_softmax_backward.h",
           "scalar/softmax_backward.h", "rs_log_softmax_backward_scalar", k_softmax_backward,
           k_log_softmax_backward_options, k_softmax_params, reduces::axis, 2},
    op_row{op_id::copy, "copy", "op/copy.h", "scalar/copy.h", "rs_copy_scalar", k_copy, {}, {}, reduces::nothing, 1,
           0, false, false, moved_dtypes},
    op_row{op_id::elementwise, "elementwise", "op/elementwise.h", "scalar/elementwise.h", "rs_elementwise_scalar",
           k_elementwise, {}, {}, reduces::nothing},
    op_row{op_id::moments, "moments", "op/moments.h", "scalar/moments.h", "rs_moments_scalar", k_moments, {}, {},
           reduces::set, 1, 3},
    op_row{op_id::gather_rows, "gather_rows", "op/gather_rows.h", "scalar/gather_rows.h", "rs_gather_rows_scalar",
           k_gather_rows, {}, {}, reduces::trailing, 1, 0, true},
    op_row{op_id::gather_rows_backward, "gather_rows_backward", "op/gather_rows_backward.h",
           "scalar/gather_rows_backward.h", "rs_gather_rows_backward_scalar", k_gather_rows_backward, {}, {},
           reduces::trailing, 1, 0, true, true},
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
