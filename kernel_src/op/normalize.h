// What a row's norm is made of: the statistics of a row, and its elements normalized by them. Shared by the norms,
// their backwards and their fallbacks.
//
// Layer norm works on x - x[0] from load to normalization: a constant row gives exactly 0, and errors are of the size
// of the row's range, not of its mean.
//
// T is a float on a GPU and a native vector on the host.
#pragma once

#include "op/large_mean.h"
#include "op/spread.h"

namespace rs {

// What is known of an input, or of an expression of inputs: its own type (that of the first input), a type that holds
// its values, and whether its row was found.
template <class X>
struct input_of {
  using type = plain_type<typename X::type>;
  using held = type;
  static RS_MEMBER bool found(const X& x) { return x.is_there(); }
};
template <class F, class A, class... Rest>
struct input_of<mapped<F, A, Rest...>> {
  using type = typename input_of<A>::type;
  using held = float;
  static RS_MEMBER bool found(const mapped<F, A, Rest...>& x) { return input_of<A>::found(x.a); }
};

template <class X>
RS_DEVICE bool is_found(const X& x) {
  return input_of<X>::found(x);
}

// x^ = (x - first - offset) * rstd; first + offset is the mean.
struct normalized {
  float first;
  float offset;
  float rstd;
  template <class T>
  RS_MEMBER T operator()(T x) const {
    return ((x - first) - offset) * rstd;
  }
};

struct rescaled {
  float rstd;
  template <class T>
  RS_MEMBER T operator()(T x) const {
    return x * rstd;
  }
};

struct less_first {
  float first;
  template <class T>
  RS_MEMBER T operator()(T x) const {
    return x - first;
  }
};

struct squared_deviation {
  float first;
  float offset;
  template <class T>
  RS_MEMBER T operator()(T x) const {
    const T d = (x - first) - offset;
    return d * d;
  }
};

struct squared {
  template <class T>
  RS_MEMBER T operator()(T x) const {
    return x * x;
  }
};

template <class How>
struct row_statistics {
  How how;  // x -> x^
  float mean;
  float rstd;
};

// 1 / width, for means of sums.
template <class Row>
RS_DEVICE float share_of_one(const Row& row) {
  return 1.0f / static_cast<float>(row.width());
}

// Where the variance is no finite number: of finite elements it has overflowed, and rstd is 0; else all is NaN.
// half_mean: the sum of half_of_mean.
RS_DEVICE row_statistics<normalized> without_spread(float first, float half_mean) {
  const float nothing = nothing_or_nan(half_mean);
  return {{0.0f, 0.0f, nothing}, large_mean(first, half_mean), nothing};
}

RS_DEVICE row_statistics<normalized> with_spread(float first, float offset, float variance, float epsilon) {
  const float rstd = vrsqrt(variance + epsilon);
  return {{first, offset, rstd}, first + offset, rstd};
}

// By mean and variance. A row at hand is passed over twice; one that streams by, once. `kept`: what was kept of x,
// which still is where it was.
struct centered {
  template <class Row, class X, class E>
  static RS_MEMBER row_statistics<normalized> of(const Row& row, const X& x, const E& kept, float epsilon) {
    const float first = row.first(x);
    float offset, variance;
    if constexpr (Row::streamed) {
      const auto s = row.template fold<spread>(map(less_first{first}, kept));
      offset = s.mean, variance = s.squares * share_of_one(row);
    } else {
      offset = row.template reduce<sum_of>(map(less_first{first}, kept)) * share_of_one(row);
      variance = row.template reduce<sum_of>(map(squared_deviation{first, offset}, kept)) * share_of_one(row);
    }
    auto s = with_spread(first, offset, variance, epsilon);
    const bool usual = variance < infinity;
    if (row.any(!usual)) {
      const float half = row.template reduce<sum_of>(map(half_of_mean{first * 0.5f, share_of_one(row)}, kept));
      if (!usual) s = without_spread(first, half);
    }
    return s;
  }
};

// By the mean square alone. Where it overflows rstd is 0.
struct uncentered {
  template <class Row, class X, class E>
  static RS_MEMBER row_statistics<rescaled> of(const Row& row, const X&, const E& kept, float epsilon) {
    const float rstd = vrsqrt(row.template reduce<sum_of>(map(squared{}, kept)) * share_of_one(row) + epsilon);
    return {{rstd}, 0.0f, rstd};
  }
};

// What a weight's element stands for.
struct weight_alone {
  template <class T>
  static RS_MEMBER T scale(T w) {
    return w;
  }
};
struct one_plus_weight {
  template <class T>
  static RS_MEMBER T scale(T w) {
    return 1.0f + w;
  }
};

}  // namespace rs
