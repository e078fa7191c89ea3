// op_setup: a call as values: which operands there are, their shapes and dtypes, and what the op is told. Shapes follow
// from the op's own description (rowsmith::op_info): a new op needs nothing here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/op_words.h"
#include "rowsmith/call.h"

namespace rowsmith::cli {

struct tensor_setup {
  std::string role;
  dtype type = dtype::f32;
  cli::shape extents;
  cli::shape strides;  // elements
  bool output = false;
  bool is_index = false;
  bool is_mask = false;
  std::string rows_from;  // a table, whose rows this operand picks; empty: none

  std::size_t bytes() const { return static_cast<std::size_t>(elements(extents)) * size_of(type); }
};

struct op_setup {
  op_info op;
  cli::shape shape;        // that the op runs over
  int axis = -1;           // as the op is told
  std::vector<int> inner;  // the axes of a row, ascending; of an op that reduces nothing the last one
  std::int64_t table_rows = 0;
  std::vector<tensor_setup> tensors;
  std::vector<std::pair<std::string, std::string>> settings;  // in full: "keep_mask"
  std::vector<std::pair<std::string, float>> scalars;
  std::optional<std::int64_t> causal;
  std::optional<expression> pre, post, compute;
  width_mode width = width_mode::automatic;
  bool batch_invariant = false;
  float params[max_expression_parameters] = {};
  dtype in = dtype::f32, out = dtype::f32;

  const tensor_setup* find(std::string_view role) const;
  const tensor_setup& main_input() const;            // the first input of the op's shape, or else the first
  const tensor_setup& main_output() const;           // the first output of the op's shape, or else the first
  std::string setting(std::string_view name) const;  // what was set, or the first choice
  float scalar(std::string_view name) const;         // what was given, or the op's own
  std::int64_t rows() const;                         // of the op
};

// Refusals name the argument, what was found and what is allowed.
result<op_setup> setup_of(const op_words& w);

// The call. `data`: one pointer a tensor, null where memory is only pretended.
op_call call_of(const op_setup& s, device where, const std::vector<void*>& data);

}  // namespace rowsmith::cli
