#include "model/op_table.h"

#include <algorithm>
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
constexpr option_field k_add_norm_options[] = {{"weight", 0, 1, k_weights},
                                               {"cast", 1, 1, k_casts},
                                               {"round_residual", 2, 1, k_roundings},
                                               {"residual", 3, 1, k_orders}};
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
    {role::sum, float_dtypes, reach::full, false, true},  // its gradient: what else flows into x
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

constexpr scalar_launch k_norm_backward_then[] = {{"rs_norm_columns_scalar", "scalar_norm_columns", work::columns}};

// A row of the table; the fallback's entry follows from the name.
constexpr op_row k_none{op_id::none, "none", "", "", "", {}, {}, {}};

constexpr std::array k_table = {
    k_none,
    op_row{.id = op_id::softmax,
           .name = "softmax",
           .header = "op/softmax.h",
           .scalar_header = "scalar/softmax.h",
           .scalar_entry = "rs_softmax_scalar",
           .operands = k_softmax,
           .options = k_softmax_options,
           .params = k_softmax_params,
           .lean = true},
    op_row{.id = op_id::log_softmax,
           .name = "log_softmax",
           .header = "op/log_softmax.h",
           .scalar_header = "scalar/softmax.h",
           .scalar_entry = "rs_log_softmax_scalar",
           .operands = k_softmax,
           .options = k_softmax_options,
           .params = k_softmax_params,
           .lean = true},
    op_row{.id = op_id::softmax_backward,
           .name = "softmax_backward",
           .header = "op/softmax_backward.h",
           .scalar_header = "scalar/softmax_backward.h",
           .scalar_entry = "rs_softmax_backward_scalar",
           .operands = k_softmax_backward,
           .options = k_softmax_backward_options,
           .params = k_softmax_params,
           .held_floats = 2},
    op_row{.id = op_id::log_softmax_backward,
           .name = "log_softmax_backward",
           .header = "op/log_softmax_backward.h",
           .scalar_header = "scalar/softmax_backward.h",
           .scalar_entry = "rs_log_softmax_backward_scalar",
           .operands = k_softmax_backward,
           .options = k_log_softmax_backward_options,
           .params = k_softmax_params,
           .held_floats = 2},
    op_row{.id = op_id::copy,
           .name = "copy",
           .header = "op/copy.h",
           .scalar_header = "scalar/copy.h",
           .scalar_entry = "rs_copy_scalar",
           .operands = k_copy,
           .along = reduces::nothing,
           .moved_dtypes = moved_dtypes},
    op_row{.id = op_id::elementwise,
           .name = "elementwise",
           .header = "op/elementwise.h",
           .scalar_header = "scalar/elementwise.h",
           .scalar_entry = "rs_elementwise_scalar",
           .operands = k_elementwise,
           .along = reduces::nothing},
    op_row{.id = op_id::moments,
           .name = "moments",
           .header = "op/moments.h",
           .scalar_header = "scalar/moments.h",
           .scalar_entry = "rs_moments_scalar",
           .operands = k_moments,
           .along = reduces::set,
           .part_floats = 3},
    op_row{.id = op_id::gather_rows,
           .name = "gather_rows",
           .header = "op/gather_rows.h",
           .scalar_header = "scalar/gather_rows.h",
           .scalar_entry = "rs_gather_rows_scalar",
           .operands = k_gather_rows,
           .along = reduces::trailing,
           .moves_only = true},
    op_row{.id = op_id::gather_rows_backward,
           .name = "gather_rows_backward",
           .header = "op/gather_rows_backward.h",
           .scalar_header = "scalar/gather_rows_backward.h",
           .scalar_entry = "rs_gather_rows_backward_scalar",
           .operands = k_gather_rows_backward,
           .along = reduces::trailing,
           .moves_only = true,
           .by_table = true},
    op_row{.id = op_id::layer_norm,
           .name = "layer_norm",
           .header = "op/norm.h",
           .scalar_header = "scalar/norm.h",
           .scalar_entry = "rs_layer_norm_scalar",
           .operands = k_norm,
           .options = k_norm_options,
           .params = k_norm_params,
           .along = reduces::trailing,
           .packs_a_thread = 8},
    op_row{.id = op_id::rms_norm,
           .name = "rms_norm",
           .header = "op/norm.h",
           .scalar_header = "scalar/norm.h",
           .scalar_entry = "rs_rms_norm_scalar",
           .operands = k_norm,
           .options = k_norm_options,
           .params = k_norm_params,
           .along = reduces::trailing},
    op_row{.id = op_id::add_layer_norm,
           .name = "add_layer_norm",
           .header = "op/norm.h",
           .scalar_header = "scalar/norm.h",
           .scalar_entry = "rs_add_layer_norm_scalar",
           .operands = k_add_norm,
           .options = k_add_norm_options,
           .params = k_norm_params,
           .along = reduces::trailing,
           .packs_a_thread = 8},
    op_row{.id = op_id::add_rms_norm,
           .name = "add_rms_norm",
           .header = "op/norm.h",
           .scalar_header = "scalar/norm.h",
           .scalar_entry = "rs_add_rms_norm_scalar",
           .operands = k_add_norm,
           .options = k_add_norm_options,
           .params = k_norm_params,
           .along = reduces::trailing},
    op_row{.id = op_id::layer_norm_backward,
           .name = "layer_norm_backward",
           .header = "op/norm_backward.h",
           .scalar_header = "scalar/norm_backward.h",
           .scalar_entry = "rs_layer_norm_backward_scalar",
           .operands = k_norm_backward,
           .options = k_norm_backward_options,
           .params = k_norm_params,
           .along = reduces::trailing,
           .held_floats = 2,
           .column_sums = 2,
           .total = "store_column_sums",
           .scalar_then = k_norm_backward_then},
    op_row{.id = op_id::rms_norm_backward,
           .name = "rms_norm_backward",
           .header = "op/norm_backward.h",
           .scalar_header = "scalar/norm_backward.h",
           .scalar_entry = "rs_rms_norm_backward_scalar",
           .operands = k_norm_backward,
           .options = k_norm_backward_options,
           .params = k_norm_params,
           .along = reduces::trailing,
           .held_floats = 2,
           .column_sums = 2,
           .total = "store_column_sums",
           .scalar_then = k_norm_backward_then},
};

constexpr op_alias k_aliases[] = {{"norm_gather", 1001, op_id::layer_norm, role::index, role::x},
                                  {"rms_norm_gather", 1002, op_id::rms_norm, role::index, role::x}};

}  // namespace

const op_row& describe(op_id op) noexcept {
  constexpr auto row_of = [] {
    std::array<std::uint8_t, k_table.size()> at{};
    for (std::size_t i = 0; i < k_table.size(); ++i) {
      at[static_cast<std::size_t>(k_table[i].id)] = static_cast<std::uint8_t>(i);
    }
    return at;
  }();
  const auto id = static_cast<std::size_t>(op);
  return k_table[id < row_of.size() ? row_of[id] : 0];
}

const op_row& describe(std::string_view name) noexcept {
  for (const op_row& row : k_table) {
    if (row.name == name) return row;
  }
  return k_table[0];
}

std::span<const op_row> all_ops() noexcept { return std::span(k_table).subspan(1); }

std::span<const op_alias> all_aliases() noexcept { return k_aliases; }

const op_alias* find_alias(std::string_view name) noexcept {
  for (const op_alias& a : k_aliases) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

const op_alias* find_alias(int number) noexcept {
  for (const op_alias& a : k_aliases) {
    if (a.number == number) return &a;
  }
  return nullptr;
}

role main_output(const op_row& op) noexcept {
  for (const operand_spec& s : op.operands) {
    if (s.output && s.extent == reach::full) return s.what;
  }
  return role{};
}

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
  static_assert(std::ranges::all_of(k_table, [](const op_row& row) {
    return std::ranges::all_of(row.options, [](const option_field& f) { return !f.values[0].empty(); });
  }));
  if (options == 0) return true;  // the first value of every field
  for (const option_field& f : op.options) {
    const std::uint64_t value = field_of(f, options);
    if (value >= f.values.size() || f.values[value].empty()) return false;
    options &= ~(((std::uint64_t{1} << f.bits) - 1) << f.first_bit);
  }
  return options == 0;
}

}  // namespace rowsmith
