// log_softmax: y = (z - max) - log(sum of exp(z - max)) along a row, z the row's logits. NaN and infinities come out as
// in op/softmax.h.
#pragma once

#include "op/softmax.h"

namespace rs {

struct log_term {
  float max;
  float log_sum;
  template <class T>
  RS_MEMBER T operator()(T z) const {
    return (z - max) - log_sum;
  }
};

template <class Exp, class Mode, class MaskForm, class Scale = no_scale>
struct log_softmax {
  scalars given;

  using state = max_and_sum<Exp>;

  template <class Row, class X, class Mask, class Bias, class Causal, class Y, class Lse>
  RS_MEMBER void operator()(const Row& row, X x, Mask mask, Bias bias, Causal causal, Y y, Lse lse) const {
    const auto z = logits<MaskForm, Scale>(row, given.value[0], x, mask, bias, causal);
    if constexpr (Row::streamed) {
      const auto values = row.retain(z);
      const auto total = row.template fold<state>(values);
      finish(row, x, values, state::reference(total.max), total.sum, y, lse);
    } else {
      const auto values = row.template hold<max_of>(z);
      const float max = state::reference(values.value);
      const auto terms = map(typename state::template term<float>{max}, unlimited(values.expr));
      finish(row, x, values.expr, max, row.template reduce<sum_of>(up_to(row, terms, causal, 0.0f)), y, lse);
    }
  }

  // A sum of 0 tells that nothing survived: -inf - -inf is the NaN of plain mode.
  template <class Row, class X, class Values, class Y, class Lse>
  static RS_MEMBER void finish(const Row& row, const X& x, Values values, float max, float sum, Y y, Lse lse) {
    const float log_sum = m_log(sum);
    if constexpr (is_present<Lse>) row.store_one(lse, row_is_there(x) ? max + log_sum : minus_infinity);
    const auto result = map(log_term{max, log_sum}, values);
    if constexpr (is_masked<Mode>) {
      row.store(y, map(only_where{row_is_there(x) && sum != 0.0f}, result));
    } else {
      row.store(y, where_there(x, result));
    }
  }
};

}  // namespace rs
