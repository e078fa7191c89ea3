// validate: is a request one that its op can take?
#pragma once

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

// Operands against the op's row: rank, shape, dtype, device, null data, element alignment. On success *axis is the
// reduced axis counted from 0; `elements` is 0 when there is nothing to do. Aliasing is looked at elsewhere.
status validate(const request& r, const op_row& op, int* axis, std::int64_t* elements) noexcept;

}  // namespace rowsmith
