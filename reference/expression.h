// expression: what an expression gives, in float64, and how far off fp32 may be.
//
// The bound goes forward, word by word: what a primitive makes of its operands at the ends of their own bounds, and its
// rounding: half an ulp for what is rounded correctly, four for functions. A condition that its operands' bounds leave
// open is open to both answers. Rounding where the expression names it: a cast's bound is the distance between what the
// two ends round to.
#pragma once

#include <span>
#include <vector>

#include "reference/expected.h"
#include "rowsmith/expr.h"

namespace rowsmith::reference {

// Rounded to f16 or bf16: how far apart the ends of the bound are then.
bounded of_cast(bounded a, dtype t);

// The outputs on one element.
std::vector<bounded> evaluate(const expression& e, std::span<const double> args, std::span<const double> params = {});

// The same where the arguments themselves are known within an error.
std::vector<bounded> evaluate(const expression& e, std::span<const bounded> args, std::span<const double> params = {});

}  // namespace rowsmith::reference
