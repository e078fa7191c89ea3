// expressions: drawn ones, and what an expression of correctly rounded operations gives, exactly.
#pragma once

#include <span>

#include "property/dice.h"
#include "rowsmith/expr.h"

namespace rowsmith::test {

// Around a row op: of arg(0), named at least once, of arg(1) … arg(more) and of parameters. `before` has nothing but
// correctly rounded operations, so that what the op sees is known to the bit.
expression draw_before(int more, dice& d);
expression draw_behind(int more, dice& d);

// Of elementwise: of some of `inputs` arguments.
expression draw_computation(int inputs, int outputs, dice& d);

// Output 0 in fp32. REQUIRES: an expression of draw_before.
float exact_value(const expression& e, std::span<const float> args, std::span<const float> params);

}  // namespace rowsmith::test
