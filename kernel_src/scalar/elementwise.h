// The fallback of elementwise: one element, whose mathematics are interpreted word by word.
#pragma once

#include "scalar/interpreter.h"
#include "scalar/tensor.h"

namespace rs {

// Operands in the op table's order: x, in1 to in7, y, out1 to out3. (One more may follow: what picks the rows of x.)
template <class Args>
RS_DEVICE void scalar_elementwise(const Args& args, i64 element) {
  constexpr int inputs = 8, outputs = 4;
  const i64 row = element / args.width, column = element - row * args.width;
  float in[inputs], out[outputs];
  for (int k = 0; k < inputs; ++k) in[k] = scalar_row<Args>::at(args, k, row).get(column);
  interpret(args.expression.words, static_cast<int>(args.expression.count), in, args.param, out);
  for (int k = 0; k < outputs; ++k) {
    const auto y = scalar_row<Args>::at(args, inputs + k, row);
    if (y.is_there()) y.set(column, out[k]);
  }
}

}  // namespace rs
