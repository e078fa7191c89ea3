// The sum of a row that is streamed: with what its additions lose, since a thread's chain may be as long as the row.
#pragma once

#include "row/reductions.h"

namespace rs {

// What a + b lost when it was rounded to `total` (Knuth's two-sum).
template <class T>
RS_DEVICE T lost_in(T a, T b, T total) {
  const T b_in = total - a;
  return (a - (total - b_in)) + (b - b_in);
}

struct long_sum {
  template <class T>
  struct state {
    T sum;
    T lost;
  };

  template <class T>
  static RS_MEMBER state<T> empty() {
    return {T{}, T{}};
  }

  template <class T, int N>
  static RS_MEMBER state<T> add(state<T> t, const T (&v)[N]) {
    T part = v[0];
    RS_UNROLL
    for (int k = 1; k < N; ++k) part = part + v[k];
    const T total = t.sum + part;
    return {total, t.lost + lost_in(t.sum, part, total)};
  }

  template <class T, class There, int N>
  static RS_MEMBER state<T> add_some(state<T> t, const T (&v)[N], const There (&there)[N]) {
    T some[N];
    RS_UNROLL
    for (int k = 0; k < N; ++k) some[k] = select(there[k], v[k], T{});
    return add(t, some);
  }

  template <class Part, class E>
  static RS_MEMBER state<float> of(const Part& part, E e) {
    return {part.template reduce<sum_of>(e), 0.0f};
  }

  // Beyond the finite numbers there is no telling what was lost: inf - inf.
  template <class Team, class T>
  static RS_MEMBER state<float> across(Team&& team, state<T> t) {
    return {team.template reduce<sum_of>(t.sum + select(t.lost == t.lost, t.lost, T{})), 0.0f};
  }
};

// The sum of a row, whichever way it is held.
template <class Row, class E>
RS_DEVICE float sum_of_row(const Row& row, const E& e) {
  if constexpr (Row::streamed) {
    return row.template fold<long_sum>(e).sum;
  } else {
    return row.template reduce<sum_of>(e);
  }
}

}  // namespace rs
