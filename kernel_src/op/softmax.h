// softmax: y = exp(z - max) / sum along a row, z the row's logits.
//
// NaN, +inf, and a row of -inf alone give a row of NaN by arithmetic, without a branch: the maximum may drop a NaN, but
// z - max keeps it and the sum carries it to every element (NaN - m; inf - inf; -inf - -inf). In masked mode a row of
// -inf alone gives 0: there the sum is 0, which it is nowhere else.
#pragma once

#include "math/logarithm.h"
#include "op/logits.h"
#include "op/max_and_sum.h"

namespace rs {

template <class Exp>
struct scaled_term {
  static constexpr bool has_scale = true;
  float max;
  float scale;

  template <class T>
  RS_MEMBER T factor_of(T x) const {
    return Exp::of(x, max);
  }
  template <class T>
  RS_MEMBER T operator()(T x) const {
    return factor_of(x) * scale;
  }
};

// max + log(sum): -inf for a row without a surviving key, or one that is not there.
template <class Row, class Lse, class X>
RS_DEVICE void store_lse(const Row& row, Lse lse, const X& x, float max, float sum) {
  if constexpr (is_present<Lse>) row.store_one(lse, row_is_there(x) ? max + m_log(sum) : minus_infinity);
}

template <class Exp, class Mode, class MaskForm, class Scale = no_scale>
struct softmax {
  scalars given;

  using state = max_and_sum<Exp>;
  using term = typename state::template term<float>;

  template <class Row, class X, class Mask, class Bias, class Causal, class Y, class Lse>
  RS_MEMBER void operator()(const Row& row, X x, Mask mask, Bias bias, Causal causal, Y y, Lse lse) const {
    const auto z = logits<MaskForm, Scale>(row, given.value[0], x, mask, bias, causal);
    if constexpr (Row::streamed) {
      streamed(row, x, z, causal, y, lse);
    } else {
      held(row, x, z, causal, y, lse);
    }
  }

  // Under which maximum to sum. With -inf the sum would be NaN where it has to tell that nothing survived.
  template <class Lse>
  static RS_MEMBER float reference(float max) {
    return is_masked<Mode> || is_present<Lse> ? state::reference(max) : max;
  }

  static RS_MEMBER float factor(float sum) {
    return is_masked<Mode> ? select(sum == 0.0f, 0.0f, reciprocal(sum)) : reciprocal(sum);
  }

  // The row stays at hand: its maximum, then the sum of its exponentials, which are kept.
  template <class Row, class X, class Z, class Causal, class Y, class Lse>
  static RS_MEMBER void held(const Row& row, const X& x, Z z, Causal causal, Y y, Lse lse) {
    const auto values = row.template hold<max_of>(z);
    const float max = reference<Lse>(values.value);
    const auto terms = row.template hold<sum_of>(up_to(row, map(term{max}, unlimited(values.expr)), causal, 0.0f));
    store_lse(row, lse, x, max, terms.value);
    row.store(y, where_there(x, map(times{factor(terms.value)}, terms.expr)));
  }

  // One pass folds (max, sum); a second computes the exponentials again. `retain` keeps the stored words where they
  // fit.
  template <class Row, class X, class Z, class Causal, class Y, class Lse>
  static RS_MEMBER void streamed(const Row& row, const X& x, Z z, Causal causal, Y y, Lse lse) {
    const auto values = row.retain(z);
    const auto total = row.template fold<state>(values);
    const float max = reference<Lse>(total.max), scale = factor(total.sum);
    store_lse(row, lse, x, max, total.sum);
    if constexpr (is_present<Causal>) {
      // Not the scale as well: 0 times what a row without a key has is NaN.
      const auto terms = up_to(row, map(term{max}, unlimited(values)), causal, 0.0f);
      row.store(y, where_there(x, map(times{scale}, terms)));
    } else {
      row.store(y, where_there(x, map(scaled_term<Exp>{max, scale}, values)));
    }
  }
};

}  // namespace rs
