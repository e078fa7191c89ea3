// gather_rows_backward: row n of dx is the sum of those rows of dy whose index is n, in their order.
#pragma once

#include "math/bits.h"
#include "row/expr.h"

namespace rs {

struct gather_rows_backward {
  scalars given;

  // What the rows of one number come to, element by element: `sum` is a compensated one.
  template <class T>
  static RS_MEMBER void add(T& sum, T& lost, T v) {
    const T term = v - lost, next = sum + term, error = (next - sum) - term;
    lost = select(vabs(error) < infinity, error, T{});  // an infinity stays what it is
    sum = next;
  }
};

}  // namespace rs
