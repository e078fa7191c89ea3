// collapse: the axes of a call, as few and as long as its operands' strides allow.
#pragma once

#include "inspect/validate.h"
#include "model/facts.h"

namespace rowsmith {

// Fills outer_rank, inner_rank, rows, width, and of every operand the strides along those axes. A run of axes is one
// where a step along the slower continues the faster in every operand.
void collapse(const request& r, const op_row& op, const iteration& over, facts* f) noexcept;

}  // namespace rowsmith
