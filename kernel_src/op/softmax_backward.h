// softmax_backward: dx = scale * y * (dy - sum(y * dy)) along a row. In masked mode a position where y is 0 takes no
// part, whatever dy holds there: its gradient is 0.
#pragma once

#include "op/logits.h"
#include "row/long_sum.h"

namespace rs {

template <class Mode>
struct weighted_gradient {
  template <class T>
  RS_MEMBER T operator()(T y, T dy) const {
    if constexpr (is_masked<Mode>) return select(y == 0.0f, T{}, y * dy);
    return y * dy;
  }
};

template <class Mode>
struct softmax_gradient {
  float dot;
  template <class T>
  RS_MEMBER T operator()(T y, T dy) const {
    const T dx = y * (dy - dot);
    if constexpr (is_masked<Mode>) return select(y == 0.0f, T{}, dx);
    return dx;
  }
};

template <class Mode, class Scale>
struct softmax_backward {
  scalars given;

  template <class Row, class Y, class DY, class DX>
  RS_MEMBER void operator()(const Row& row, Y y, DY dy, DX dx) const {
    const auto p = row.retain(y);
    const auto g = row.retain(dy);
    const float dot = sum_of_row(row, map(weighted_gradient<Mode>{}, p, g));
    row.store(dx, times_scale(Scale{}, given.value[0], map(softmax_gradient<Mode>{dot}, p, g)));
  }
};

}  // namespace rs
