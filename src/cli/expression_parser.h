// expression_parser: elementwise mathematics as text: "silu(x) * in1 + p0".
#pragma once

#include <string>

#include "rowsmith/expr.h"
#include "rowsmith/status.h"

namespace rowsmith::cli {

// Names: x (arg 0), in1 to in7 (arg 1 to 7), p0 to p3 (parameters), the functions of expr.h, f16() and bf16() (casts),
// not, and, or, where. A comma separates outputs. One name alone is an expression that people use: see ready_made().
// `argument`: "--expr", which refusals name.
result<expression> parse_expression(const std::string& argument, const std::string& text);

// "silu, gelu, add_sigmoid, …".
std::string ready_made();

}  // namespace rowsmith::cli
