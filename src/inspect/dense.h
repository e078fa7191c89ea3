// dense: the usual call. Its operands have the shape that the op runs over, or are a row or one element a row of it,
// and lie row-major without gaps. Everything about it follows from that shape and the addresses, so that it takes one
// walk over the axes where the general way takes several.
#pragma once

#include "inspect/validate.h"
#include "model/facts.h"

namespace rowsmith {

// Is it such a call, of at least one element, reduced along its last axes, all its memory there? Fills over->rows and
// width then. False says nothing more: the general way tells what is wrong, if anything is. REQUIRES: over's leader,
// shape, elements, reduced and specs are set.
bool is_dense_call(const request& r, iteration* over) noexcept;

// Does an output share bytes with another operand? REQUIRES: a dense call.
bool shares_bytes(const request& r, const iteration& over) noexcept;

// The facts that depend on shapes and addresses, as the general way finds them. REQUIRES: a dense call.
void describe_dense(const request& r, const iteration& over, facts* f) noexcept;

}  // namespace rowsmith
