// log_softmax_backward: dx = scale * (dy - exp(y) * sum(dy)) along a row. In masked mode a position where y is -inf
// takes no part, whatever dy holds there: its gradient is 0. So is that of a row without a surviving key, which is all
// 0: two zeros tell it, since the exponentials of any other row add up to 1.
#pragma once

#include "op/logits.h"
#include "op/max_and_sum.h"
#include "row/long_sum.h"

namespace rs {

struct surviving_gradient {
  template <class T>
  RS_MEMBER T operator()(T y, T dy) const {
    return select(y == minus_infinity, T{}, dy);
  }
};

template <class Exp>
struct log_softmax_gradient {
  float sum;
  template <class T>
  RS_MEMBER T operator()(T y, T dy) const {
    return dy - Exp::of(y, 0.0f) * sum;
  }
};

template <class Exp>
struct surviving_log_softmax_gradient {
  float sum;
  bool any;  // does the row have a key?
  template <class T>
  RS_MEMBER T operator()(T y, T dy) const {
    const T dx = select(y == minus_infinity, T{}, log_softmax_gradient<Exp>{sum}(y, dy));
    return any ? dx : T{};
  }
};

template <class Exp, class Mode, class Scale>
struct log_softmax_backward {
  scalars given;

  template <class Row, class Y, class DY, class DX>
  RS_MEMBER void operator()(const Row& row, Y y, DY dy, DX dx) const {
    if constexpr (is_masked<Mode>) {
      const bool any = has_a_key(row, y);
      const auto l = row.retain(y);
      const auto g = row.retain(dy);
      const float sum = sum_of_row(row, map(surviving_gradient{}, l, g));
      store(row, dx, map(surviving_log_softmax_gradient<Exp>{sum, any}, l, g));
    } else {
      const auto l = row.retain(y);
      const auto g = row.retain(dy);
      store(row, dx, map(log_softmax_gradient<Exp>{sum_of_row(row, g)}, l, g));
    }
  }

 private:
  template <class Row, class Y>
  static RS_MEMBER bool has_a_key(const Row& row, const Y& y) {
    if (row.width() == 1) return true;
    const bool first = row.template element<0>(y) != 0.0f, second = row.template element<1>(y) != 0.0f;
    return first | second;  // no branch
  }

  template <class Row, class DX, class E>
  RS_MEMBER void store(const Row& row, DX dx, const E& e) const {
    row.store(dx, times_scale(Scale{}, given.value[0], e));
  }
};

}  // namespace rs
