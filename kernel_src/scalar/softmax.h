// The fallback of softmax: one row, three passes, any width, dtype and stride. NaN and infinities come out as in
// op/softmax.h, whose exponentials it shares.
#pragma once

#include "op/softmax.h"
#include "scalar/tensor.h"

namespace rs {

template <class Exp>
RS_DEVICE void scalar_softmax_row(scalar_row x, scalar_row y, i64 width) {
  float top = minus_infinity;
  for (i64 i = 0; i < width; ++i) top = vmax(x.get(i), top);
  // Kahan's sum: one long chain of additions would lose more than the contract allows.
  float sum = 0.0f, lost = 0.0f;
  for (i64 i = 0; i < width; ++i) {
    const float term = Exp::of(x.get(i), top) - lost;
    const float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  const float scale = reciprocal(sum);
  for (i64 i = 0; i < width; ++i) y.set(i, Exp::of(x.get(i), top) * scale);
}

// Bit 0 of the options asks for accurate exponentials.
template <int Operands, int Outer>
RS_DEVICE void scalar_softmax(const row_args<Operands, Outer>& args, i64 row) {
  const scalar_row x = scalar_row::at(args, 0, row), y = scalar_row::at(args, 1, row);
  if ((args.options & 1) != 0) scalar_softmax_row<exp_accurate>(x, y, args.width);
  else scalar_softmax_row<exp_fast>(x, y, args.width);
}

}  // namespace rs
