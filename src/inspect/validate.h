// validate: is a request one that its op can take, and over what does it run?
#pragma once

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

// The shape that an op runs over, and how each operand moves through it.
struct iteration {
  int rank = 0;
  int leader = 0;        // the operand whose shape it is
  unsigned reduced = 0;  // bit i: axis i belongs to a row
  bool dense = false;    // see inspect/dense.h; `stride` is not filled then
  std::int64_t elements = 0;
  std::int64_t rows, width;  // of a dense call
  std::int64_t shape[max_rank];
  std::int64_t stride[max_operands][max_rank];  // elements; 0 where the operand repeats
  const operand_spec* spec[max_operands];
};

// May a dense call be recognized as one? `none` is for tests that hold both ways beside each other.
enum class shortcut : bool { none, allowed };

// Operands against the op's row: which, rank, shape, dtype, device, null data, element alignment. Aliasing is looked at
// elsewhere.
status validate(const request& r, const op_row& op, shortcut dense, iteration* over) noexcept;

// Reads no operand's memory: the number of elements that a view names. REQUIRES: a validated view.
std::int64_t elements_of(const tensor_view& v) noexcept;

}  // namespace rowsmith
