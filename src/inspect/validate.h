// validate: is a request one that its op can take?
#pragma once

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

// Operands against the op's row: rank, shape, dtype, device, null data, element alignment; then aliasing. On success
// *axis is the reduced axis counted from 0 and *in_place tells whether an output is an input. `elements` is 0 when there
// is nothing to do; overlaps are then not looked for.
status validate(const request& r, const op_row& op, int* axis, bool* in_place, std::int64_t* elements) noexcept;

}  // namespace rowsmith
