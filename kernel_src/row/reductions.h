// The reductions of a row: an associative function of two values and its identity. T is a float on a GPU and a native
// vector (or a float) on the host, so that one text serves both.
#pragma once

#include "math/bits.h"

namespace rs {

inline constexpr float minus_infinity = __builtin_bit_cast(float, 0xff800000u);

// Drops NaN where the machine's maximum does: whoever needs NaN to survive carries it in a sum.
struct max_of {
  static constexpr float identity = minus_infinity;
  static constexpr bool is_max = true;
  template <class T>
  static RS_MEMBER T of(T a, T b) {
    return vmax(a, b);
  }
};

struct sum_of {
  static constexpr float identity = 0.0f;
  static constexpr bool is_max = false;
  template <class T>
  static RS_MEMBER T of(T a, T b) {
    return a + b;
  }
};

// Op over an array, by halves: a short chain of dependent operations. The array is used up.
template <class Op, class T, int N>
RS_DEVICE T by_halves(T (&v)[N]) {
  RS_UNROLL
  for (int step = 1; step < N; step *= 2) {
    RS_UNROLL
    for (int k = 0; k + step < N; k += 2 * step) v[k] = Op::of(v[k], v[k + step]);
  }
  return v[0];
}

// A reduction as a state that a streamed row folds.
template <class Op>
struct reduction {
  template <class T>
  struct state {
    T value;
  };

  template <class T>
  static RS_MEMBER state<T> empty() {
    return {T{} + Op::identity};
  }
  template <class T, int N>
  static RS_MEMBER state<T> add(state<T> t, const T (&v)[N]) {
    T all[N];
    RS_UNROLL
    for (int k = 0; k < N; ++k) all[k] = v[k];
    return {Op::of(t.value, by_halves<Op>(all))};
  }
  template <class T, class There, int N>
  static RS_MEMBER state<T> add_some(state<T> t, const T (&v)[N], const There (&there)[N]) {
    T some[N];
    RS_UNROLL
    for (int k = 0; k < N; ++k) some[k] = select(there[k], v[k], T{} + Op::identity);
    return add(t, some);
  }
  template <class Part, class E>
  static RS_MEMBER state<float> of(const Part& part, E e) {
    return {part.template reduce<Op>(e)};
  }
  template <class Team, class T>
  static RS_MEMBER state<float> across(Team&& team, state<T> t) {
    return {team.template reduce<Op>(t.value)};
  }
};

}  // namespace rs
