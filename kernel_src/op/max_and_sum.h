// The exponentials of the softmax family, and what a part of a row adds to its normalization.
//
// T is a float on a GPU and a native vector on the host; a maximum of the whole row is a float on both.
#pragma once

#include "row/expr.h"
#include "row/reductions.h"

namespace rs {

inline constexpr float log2e = 0x1.715476p+0f;
inline constexpr float log2e_rest = 0x1.4ae0cp-26f;  // log2(e) - log2e
inline constexpr float ln2 = 0x1.62e43p-1f;

// exp(x - max) for max >= x. The subtraction comes first: fma(x, log2e, -max * log2e) makes NaN of large finite inputs.
// Results below 2^-126 may be 0.
struct exp_fast {
  template <class T, class M>
  static RS_MEMBER T of(T x, M max) {
    return vexp2((x - max) * log2e);
  }
};

// The same within about an ulp: what the subtraction and the product rounded away is added back, to first order.
struct exp_accurate {
  template <class T, class M>
  static RS_MEMBER T of(T x, M max) {
    const T top = T{} + max;
    const T d = x - top;
    const T back = d - x;
    const T d_rest = (x - (d - back)) - (top + back);
    const T p = d * log2e;
    const T p_rest = vfma(d, T{} + log2e, -p) + (d * log2e_rest + d_rest * log2e);
    const T e = vexp2(p);
    // Below -128 e is 0 (or d infinite and p_rest NaN): no correction. A NaN in d is already in e.
    return vfma(e, select(d > -128.0f, p_rest * ln2, T{}), e);
  }
};

// What a part of a row contributes: its maximum, and the sum of exp(x - max). An empty part is (-inf, 0).
template <class Exp>
struct max_and_sum {
  template <class T>
  struct state {
    T max;
    T sum;
  };

  // x - reference(max) is -inf, not NaN, for x = max = -inf: a part of -inf alone counts 0.
  template <class T>
  static RS_MEMBER T reference(T max) {
    return select(max == minus_infinity, T{}, max);
  }

  // exp(max - top): how a part's sum counts under the maximum of the whole.
  template <class T, class M>
  static RS_MEMBER T weight(T max, M top) {
    return select(max == top, T{} + 1.0f, Exp::of(max, top));
  }

  template <class T>
  static RS_MEMBER state<T> empty() {
    return {T{} + minus_infinity, T{}};
  }

  // The state grown by N values at once: one rescaling of the old sum, whatever N.
  template <class T, int N>
  static RS_MEMBER state<T> add(state<T> t, const T (&v)[N]) {
    T top = t.max;
    RS_UNROLL
    for (int k = 0; k < N; ++k) top = vmax(v[k], top);
    const T under = reference(top);
    T sum = t.sum * weight(t.max, top);
    RS_UNROLL
    for (int k = 0; k < N; ++k) sum = sum + Exp::of(v[k], under);
    return {top, sum};
  }

  // The same of those values that are there.
  template <class T, class There, int N>
  static RS_MEMBER state<T> add_some(state<T> t, const T (&v)[N], const There (&there)[N]) {
    T some[N];
    RS_UNROLL
    for (int k = 0; k < N; ++k) some[k] = select(there[k], v[k], T{} + minus_infinity);
    return add(t, some);
  }

  // The state of the elements that `part` of a row holds: `reduce` reaches over that part alone.
  template <class Part, class E>
  static RS_MEMBER state<float> of(const Part& part, E e) {
    const float top = part.template reduce<max_of>(e);
    return {top, part.template reduce<sum_of>(map(term<float>{reference(top)}, e))};
  }

  // The states of a team's members (lanes, waves, or a vector's elements), merged: `team.reduce<Op>` reduces over them.
  template <class Team, class T>
  static RS_MEMBER state<float> across(Team&& team, state<T> t) {
    const float top = team.template reduce<max_of>(t.max);
    return {top, team.template reduce<sum_of>(t.sum * weight(t.max, top))};
  }

  // One element of the sum, for `map`.
  template <class M>
  struct term {
    M max;
    template <class T>
    RS_MEMBER T operator()(T x) const {
      return Exp::of(x, max);
    }
  };
};

}  // namespace rs
