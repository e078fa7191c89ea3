// fusion: elementwise work next to a row op, in the same kernel: it costs no trip through memory.
#pragma once

#include "rowsmith/expr.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// Expressions before and behind a row op, and what else they read.
//   pre:  what the op sees as its input; arg(0) is the op's first operand.
//   post: what is stored as the op's main output; arg(0) is the op's result, not yet rounded.
// Both have one output, name arg(0), and share arg(1) … arg(3): tensors that broadcast to the op's shape; and param(0)
// … param(3): run-time scalars, which make no kernel of their own. Everything is fp32 between loading and storing, but
// for explicit casts. Gathers, which move rows as they are, take none; nor do moments a post. A row that an index does
// not find is +0 as the op's result, whatever pre makes of zeros; post sees that 0.
struct fusion {
  static constexpr int most_arguments = 3;

  expression_id before;
  expression_id behind;
  const_tensor_view more[most_arguments];
  int more_count = 0;
  float params[4] = {};

  ROWSMITH_EXPORT fusion& pre(const expression& e) noexcept;
  ROWSMITH_EXPORT fusion& post(const expression& e) noexcept;

  // arg(1), arg(2), arg(3), in this order.
  fusion& with(const const_tensor_view& argument) noexcept {
    if (more_count < most_arguments) more[more_count] = argument;
    ++more_count;  // one too many is refused by the call
    return *this;
  }
  fusion& param(int k, float value) noexcept {
    if (k >= 0 && k < 4) params[k] = value;
    return *this;
  }
};

}  // namespace rowsmith
