// call_of: what a C caller says about a call, as an op_call.
#pragma once

#include <cstddef>

#include "rowsmith/call.h"
#include "rowsmith/rowsmith_c.h"

namespace rowsmith::capi {

// not_found for a number or a name that no op has; invalid_argument, or unsupported for what only a newer library
// knows. Whatever else is wrong is told by the call.
result<op_call> call_of(rs_op op, const rs_operand* operands, std::size_t count, const rs_op_options* options);

// "softmax (1), log_softmax (2), …".
std::string known_ops();

}  // namespace rowsmith::capi
