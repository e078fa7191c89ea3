// moments: mean and biased variance of a row.
//
// Everything is done on x - x[0], the row's first element: a constant row is exact, and errors scale with the row's
// range. Two passes where the row is held; else states of parts, merged as Chan, Golub and LeVeque do ("Updating
// formulae and a pairwise algorithm for computing sample variances", 1979). Never E[x^2] - mean^2.
#pragma once

#include "math/bits.h"
#include "op/normalize.h"
#include "row/expr.h"
#include "row/reductions.h"

namespace rs {

template <class T>
RS_DEVICE T inverse_or_zero(T n) {
  return select(n > 0.0f, 1.0f / n, T{});
}

// What a part of a row contributes: how many elements, their mean, and the sum of their squared deviations from it.
struct deviations {
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

  // The product of an empty part's count comes first: the square of what lies between may overflow.
  template <class T>
  static RS_MEMBER state<T> merge(state<T> a, state<T> b) {
    const T count = a.count + b.count, apart = b.mean - a.mean;
    const T share = b.count * inverse_or_zero(count);
    return {count, a.mean + apart * share, a.squares + b.squares + apart * (a.count * share) * apart};
  }

  template <class T, int N>
  static RS_MEMBER state<T> add(state<T> t, const T (&v)[N]) {
    T sum = v[0];
    RS_UNROLL
    for (int k = 1; k < N; ++k) sum = sum + v[k];
    const T mean = sum * (1.0f / N);
    T squares{};
    RS_UNROLL
    for (int k = 0; k < N; ++k) squares = squares + (v[k] - mean) * (v[k] - mean);
    return merge(t, state<T>{T{} + static_cast<float>(N), mean, squares});
  }

  // The same of those values that are there.
  template <class T, class There, int N>
  static RS_MEMBER state<T> add_some(state<T> t, const T (&v)[N], const There (&there)[N]) {
    T count{}, sum{};
    RS_UNROLL
    for (int k = 0; k < N; ++k) {
      count = count + select(there[k], T{} + 1.0f, T{});
      sum = sum + select(there[k], v[k], T{});
    }
    const T mean = sum * inverse_or_zero(count);
    T squares{};
    RS_UNROLL
    for (int k = 0; k < N; ++k) squares = squares + select(there[k], (v[k] - mean) * (v[k] - mean), T{});
    return merge(t, state<T>{count, mean, squares});
  }

  struct one {
    template <class T>
    RS_MEMBER T operator()(T) const {
      return T{} + 1.0f;
    }
  };
  struct square_from {
    float mean;
    template <class T>
    RS_MEMBER T operator()(T x) const {
      return (x - mean) * (x - mean);
    }
  };

  // The state of the elements that `part` of a row holds: `reduce` reaches over that part alone.
  template <class Part, class E>
  static RS_MEMBER state<float> of(const Part& part, E e) {
    const float count = part.template reduce<sum_of>(map(one{}, e));
    const float mean = part.template reduce<sum_of>(e) * inverse_or_zero(count);
    return {count, mean, part.template reduce<sum_of>(map(square_from{mean}, e))};
  }

  // The states of a team's members, merged.
  template <class Team, class T>
  static RS_MEMBER state<float> across(Team&& team, state<T> t) {
    const float count = team.template reduce<sum_of>(t.count);
    const T share = t.count * inverse_or_zero(count);
    const float mean = team.template reduce<sum_of>(t.mean * share);
    const T apart = t.mean - mean;
    return {count, mean, team.template reduce<sum_of>(t.squares + apart * t.count * apart)};
  }
};

struct moments {
  scalars given;

  template <class Row, class X, class Mean, class Variance>
  RS_MEMBER void operator()(const Row& row, X x, Mean mean, Variance variance) const {
    const float origin = row.first(x);
    const float count = static_cast<float>(row.width());
    if constexpr (Row::streamed) {
      const auto values = row.retain(x);
      const auto total = row.template fold<deviations>(map(less_first{origin}, values));
      finish(row, values, {origin, total.mean, total.squares / count}, mean, variance);
    } else {
      const auto values = row.template keep_as<typename input_of<X>::held>(x);
      const float offset = row.template reduce<sum_of>(map(less_first{origin}, values)) / count;
      const float squares = row.template reduce<sum_of>(map(squared_deviation{origin, offset}, values));
      finish(row, values, {origin, offset, squares / count}, mean, variance);
    }
  }

  // The state of a part of the row, and what the states of all parts come to.
  using part_state = deviations;
  template <class Row, class X>
  static RS_MEMBER auto part_of(const Row& row, float origin, X x) {
    return row.template fold<deviations>(map(less_first{origin}, x));
  }
  // `again` sums over the elements of the whole row, which only a rare one wants.
  template <class Row, class Mean, class Variance, class Again>
  static RS_MEMBER void whole(const Row& row, float origin, deviations::state<float> total, const Again& again,
                              Mean mean, Variance variance) {
    result r{origin, total.mean, total.squares / total.count};
    if (!r.is_usual()) r.make_large(again.sum(half_of_mean{origin * 0.5f, 1.0f / total.count}));
    r.store(row, mean, variance);
  }

 private:
  struct result {
    float origin;
    float offset;  // mean - origin
    float spread;  // the variance
    float mean = origin + offset;

    RS_MEMBER bool is_usual() const { return spread < infinity; }
    RS_MEMBER void make_large(float half_mean) {
      mean = large_mean(origin, half_mean);
      spread = infinity + nothing_or_nan(half_mean);
    }
    template <class Row, class Mean, class Variance>
    RS_MEMBER void store(const Row& row, Mean to_mean, Variance to_variance) const {
      row.store_one(to_mean, mean);
      row.store_one(to_variance, spread);
    }
  };

  template <class Row, class X, class Mean, class Variance>
  static RS_MEMBER void finish(const Row& row, const X& x, result r, Mean mean, Variance variance) {
    if (row.any(!r.is_usual())) {
      const float share = share_of_one(row);
      const float half = row.template reduce<sum_of>(map(half_of_mean{r.origin * 0.5f, share}, x));
      if (!r.is_usual()) r.make_large(half);
    }
    r.store(row, mean, variance);
  }
};

}  // namespace rs
