// kernel: what one compiled kernel serves: op, settings, dtypes, which operands there are, row extents, expressions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "property/dice.h"
#include "property/values.h"
#include "rowsmith/expr.h"
#include "support/tensor.h"

namespace rowsmith::test {

// Ops that are checked alike.
enum class family {
  softmax,
  softmax_backward,
  norm,
  norm_backward,
  moments,
  gather,
  gather_backward,
  copy,
  elementwise
};

// How an operand's shape comes from that of the op.
enum class extent { full, broadcast, per_row, per_column, table };

struct kernel_operand {
  std::string role;
  dtype type = dtype::f32;
  extent shape = extent::full;
  bool output = false;
  profile values = profile::anything;  // of an input
};

struct kernel {
  std::string op;
  family kind = family::softmax;
  std::vector<kernel_operand> operands;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::pair<std::size_t, std::size_t>> in_place;  // an output, and the input that it is
  int outer_axes = 1;
  dims row_extents;      // of the axes that are reduced; of ops that reduce nothing: of one axis
  bool one_row = false;  // every other axis has an extent of 1
  bool large = false;    // many rows
  // What the settings say, for who checks.
  bool log = false, masked = false, accurate = false, scaled = false, causal = false;
  bool centered = false, one_plus = false, cast_before = false, fp32_residual = false, residual_last = false;
  // Around a row op, or (compute) the whole of elementwise.
  std::optional<expression> pre, post, compute;

  const kernel_operand* find(std::string_view role) const;
  bool has(std::string_view role) const { return find(role) != nullptr; }
  std::string setting(std::string_view name) const;  // "" where there is none
  bool fused() const { return pre || post; }
  std::string to_string() const;
};

kernel draw_kernel(dice& d);

}  // namespace rowsmith::test
