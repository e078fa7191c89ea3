// aliasing: may these operands share memory?
#pragma once

#include <cstdint>

#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

// Refuses outputs that overlap themselves or, unless base and strides are equal, another operand. `dense`: one bit an
// operand that is row-major without gaps, so that its bytes are one range. REQUIRES: equal shapes, `elements` > 0.
status check_aliasing(const request& r, unsigned dense, std::int64_t elements, bool* in_place) noexcept;

}  // namespace rowsmith
