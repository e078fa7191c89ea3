// Mean and sum of squared deviations of a row whose parts are seen one after the other, or by different teams: Chan's
// merge. Golub, LeVeque and Chan, The American Statistician 37(3), 1983. Never the mean of squares minus a square.
//
// T is a float on a GPU and a native vector on the host.
#pragma once

#include "row/expr.h"
#include "row/reductions.h"

namespace rs {

struct squared_from {
  float mean;
  template <class T>
  RS_MEMBER T operator()(T x) const {
    const T d = x - mean;
    return d * d;
  }
};

struct always {
  float value;
  template <class T>
  RS_MEMBER T operator()(T) const {
    return T{} + value;
  }
};

// Of what is given: how many there are, their mean, and the sum of squared deviations from it. An empty part is all 0.
struct spread {
  template <class T>
  struct state {
    T count;
    T mean;
    T squares;
  };

  template <class T>
  static RS_MEMBER state<T> empty() {
    return {T{}, T{}, T{}};
  }

  template <class T>
  static RS_MEMBER state<T> merged(state<T> a, state<T> b) {
    const T count = a.count + b.count;
    const T share = select(count > 0.0f, b.count * reciprocal(count), T{});
    const T step = b.mean - a.mean;
    return {count, a.mean + step * share, a.squares + b.squares + step * step * (a.count * share)};
  }

  // Two passes over N values, and a merge.
  template <class T, int N>
  static RS_MEMBER state<T> add(state<T> t, const T (&v)[N]) {
    T all[N];
    RS_UNROLL
    for (int k = 0; k < N; ++k) all[k] = v[k];
    const T mean = by_halves<sum_of>(all) * (1.0f / N);
    RS_UNROLL
    for (int k = 0; k < N; ++k) all[k] = (v[k] - mean) * (v[k] - mean);
    return merged(t, {T{} + static_cast<float>(N), mean, by_halves<sum_of>(all)});
  }

  template <class T, class There, int N>
  static RS_MEMBER state<T> add_some(state<T> t, const T (&v)[N], const There (&there)[N]) {
    T count{}, sum{}, squares{};
    RS_UNROLL
    for (int k = 0; k < N; ++k) {
      count = count + select(there[k], T{} + 1.0f, T{});
      sum = sum + select(there[k], v[k], T{});
    }
    const T mean = select(count > 0.0f, sum * reciprocal(count), T{});
    RS_UNROLL
    for (int k = 0; k < N; ++k) squares = squares + select(there[k], (v[k] - mean) * (v[k] - mean), T{});
    return merged(t, {count, mean, squares});
  }

  // The state of the elements that `part` of a row holds.
  template <class Part, class E>
  static RS_MEMBER state<float> of(const Part& part, E e) {
    const float count = part.template reduce<sum_of>(map(always{1.0f}, e));
    const float sum = part.template reduce<sum_of>(e);
    const float mean = count > 0.0f ? sum * reciprocal(count) : 0.0f;
    return {count, mean, part.template reduce<sum_of>(map(squared_from{mean}, e))};
  }

  // The states of a team's members, merged all at once.
  template <class Team, class T>
  static RS_MEMBER state<float> across(Team&& team, state<T> t) {
    const float count = team.template reduce<sum_of>(t.count);
    const float sum = team.template reduce<sum_of>(t.count * t.mean);
    const float mean = count > 0.0f ? sum * reciprocal(count) : 0.0f;
    const T step = t.mean - mean;
    return {count, mean, team.template reduce<sum_of>(t.squares + t.count * step * step)};
  }
};

}  // namespace rs
