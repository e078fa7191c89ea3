// shape_match: how an operand of its own shape moves through the shape that an op runs over.
#pragma once

#include "inspect/validate.h"

namespace rowsmith {

// Fills over->stride[k], or says why the shape of operand k does not fit. REQUIRES: over->shape, reduced and spec[k]
// are set.
status match_shape(const request& r, int k, iteration* over) noexcept;

}  // namespace rowsmith
