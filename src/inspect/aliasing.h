// aliasing: may these operands share memory?
#pragma once

#include "inspect/validate.h"

namespace rowsmith {

// Refuses outputs that overlap themselves or, unless base, shape and strides are equal, another operand. `dense`: one
// bit an operand that is row-major without gaps, so that its bytes are one range.
status check_aliasing(const request& r, const iteration& over, unsigned dense, bool* in_place) noexcept;

// Refuses a caller's workspace that begins at no multiple of 16 bytes or shares one with an operand.
status check_workspace(const request& r, const iteration& over) noexcept;

}  // namespace rowsmith
