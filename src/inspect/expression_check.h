// check_expression: does a request have an operand for everything that its expression names?
#pragma once

#include "model/request.h"
#include "rowsmith/expr.h"
#include "rowsmith/status.h"

namespace rowsmith {

// invalid_argument otherwise. REQUIRES: r.op is elementwise.
status check_expression(const expression& e, const request& r) noexcept;

}  // namespace rowsmith
