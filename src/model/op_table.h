// The op table: one row an op. Adding an op is one row here, one file in kernel_src/op/, its lines in ops.h, its test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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
constexpr std::uint32_t index_dtypes = bit(dtype::i32) | bit(dtype::i64);

// How an operand's shape relates to the shape that the op runs over (that of its leading operand).
enum class reach : std::uint8_t {
  full,        // that shape
  broadcast,   // one that broadcasts to it: right-aligned, axes of 1 repeat
  per_row,     // one element a row: 1 along every reduced axis, or those axes left out
  per_column,  // the reduced axes alone
  no_memory,   // stride[i] is what index i adds to a number; `data` is the number to begin with
};

struct operand_spec {
  role what;
  std::uint32_t dtypes;  // allowed, by bit()
  reach extent = reach::full;
  bool output = false;
  bool optional = false;
};

// Which axes a request's op runs along.
enum class reduces : std::uint8_t {
  axis,      // request::axis, negative from the last
  trailing,  // the last request::axis axes
  set,       // bit i of request::axis: axis i
  nothing,   // every element is a row's; a row is the axis that is fastest in memory
};

// A field of request::options, and the template arguments of the op's functor that its values stand for.
struct option_field {
  std::string_view name;
  int first_bit;
  int bits;
  std::span<const std::string_view> values;  // 2^bits or fewer; an empty text: not allowed
  bool by_output = false;                    // a call that says nothing gets 1 for an f32 output, else 0
};

// A run-time scalar of the op: argument block word param[first_op_param + its place].
struct param_spec {
  std::string_view name;
  float otherwise;        // where a call says nothing
  bool positive = false;  // nothing else is allowed
};

// What a launch divides among its blocks.
enum class work : std::uint8_t {
  rows,
  columns,
  elements,
  table_rows,  // of the table that an index points into
};

// A launch of a fallback after the first.
struct scalar_launch {
  std::string_view entry;     // its symbol
  std::string_view function;  // what it runs on every item
  work items;
};

struct op_row {
  op_id id;
  std::string_view name;           // "softmax": also the functor and, with rs_ and _scalar, the fallback's entry
  std::string_view header;         // its file in kernel_src
  std::string_view scalar_header;  // its fallback
  std::string_view scalar_entry;   // the fallback's symbol
  std::span<const operand_spec> operands;  // in the functor's order; the first full one that no index reorders leads
  std::span<const option_field> options = {};  // in the functor's order
  std::span<const param_spec> params = {};     // at most max_params - first_op_param
  reduces along = reduces::axis;
  int held_floats = 1;     // fp32 values of a row element that the op keeps alive at once: a planner's hint
  int packs_a_thread = 0;  // of 16-bit rows that a block holds, to aim at; 0: the planner's own number
  bool lean = false;    // few values beside the row's own: registers may be bounded, so that more blocks are resident
  int part_floats = 0;  // of the state that a part of a row comes to; 0: the functor cannot be asked for parts
  bool moves_only = false;  // nothing is reduced: threads need not wait for each other
  bool by_table = false;    // work goes by the rows of the table that the index points into, not by the op's rows
  std::uint32_t moved_dtypes = 0;  // never converted: where one operand has such a dtype, all have it
  // An op with outputs of reach::per_column sums over rows: so many sums a column, added up by a launch of this
  // functor.
  int column_sums = 0;
  std::string_view total = {};
  std::span<const scalar_launch> scalar_then = {};  // of scalar_header
};

// The row of an op; the row of op_id::none ("none", no operands) for values that are none.
const op_row& describe(op_id op) noexcept;

// By name; the row of none when there is no such op.
const op_row& describe(std::string_view name) noexcept;

std::span<const op_row> all_ops() noexcept;

// A second name of an op for one use of it: an operand that is optional there is needed here, and picks rows.
struct op_alias {
  std::string_view name;
  int number;  // what the C ABI calls it; in no record, and no part of a key
  op_id op;
  role needs;   // an index
  role picked;  // whose rows it picks
};

std::span<const op_alias> all_aliases() noexcept;

// Null when no op has such a second name.
const op_alias* find_alias(std::string_view name) noexcept;
const op_alias* find_alias(int number) noexcept;

// Of the roles that an op stores whole rows of, the first: what an expression behind the op is about. role{} where
// there is none.
role main_output(const op_row& op) noexcept;

// The spec of an operand, or null.
const operand_spec* find_spec(const op_row& op, role what) noexcept;

// The functor of these options as kernel text: "softmax<exp_fast, plain>". Bits that no field has are not looked at.
std::string functor_of(const op_row& op, std::uint64_t options);

// Do the options name values that exist, and nothing else?
bool options_are_known(const op_row& op, std::uint64_t options) noexcept;

// Bits of request::options, of the softmax family.
constexpr std::uint64_t option_accurate_exp = 1;
constexpr std::uint64_t option_masked = 2;  // a row of which nothing survives is 0, not NaN
constexpr int option_mask_form = 2;         // first bit of its form: none, keep, drop, additive
constexpr std::uint64_t option_scaled = 16;

// Of the norms.
constexpr std::uint64_t option_one_plus_weight = 1;
constexpr std::uint64_t option_cast_before_weight = 2;
constexpr std::uint64_t option_fp32_residual = 4;
constexpr std::uint64_t option_residual_after = 8;

}  // namespace rowsmith
