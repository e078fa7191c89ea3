// layer_norm, rms_norm and their forms with a residual: y = (x - mean) * rstd * weight + bias along a row.
//
// A row that an index did not find gives +0, not the bias.
#pragma once

#include "op/normalize.h"
#include "row/rounding.h"

namespace rs {

// What x^ is rounded to before it meets the weight: nothing, or x's own type.
struct cast_last {
  template <class X>
  using type = float;
};
struct cast_before_weight {
  template <class X>
  using type = X;
};

// y of x^ (rounded to S), with the weight and the bias that there are.
template <class Weights, class S>
struct affine {
  template <class T>
  RS_MEMBER T operator()(T n) const {
    return round_to<S>(n);
  }
  template <class T>
  RS_MEMBER T operator()(T n, T w, T b) const {
    return vfma(round_to<S>(n), Weights::scale(w), b);
  }
};
template <class Weights, class S>
struct affine_of_weight {
  template <class T>
  RS_MEMBER T operator()(T n, T w) const {
    return round_to<S>(n) * Weights::scale(w);
  }
};
template <class S>
struct affine_of_bias {
  template <class T>
  RS_MEMBER T operator()(T n, T b) const {
    return round_to<S>(n) + b;
  }
};

template <class Weights, class S, class N, class Weight, class Bias>
RS_DEVICE auto with_affine(const N& n, const Weight& w, const Bias& b) {
  if constexpr (is_present<Weight> && is_present<Bias>) {
    return map(affine<Weights, S>{}, n, w, b);
  } else if constexpr (is_present<Weight>) {
    return map(affine_of_weight<Weights, S>{}, n, w);
  } else if constexpr (is_present<Bias>) {
    return map(affine_of_bias<S>{}, n, b);
  } else {
    return map(affine<Weights, S>{}, n);
  }
}

template <class Statistics, class Weights, class Casts>
struct norm {
  scalars given;  // epsilon

  template <class Row, class X, class Weight, class Bias, class Y, class Mean, class Rstd, class... Rest>
  RS_MEMBER void operator()(const Row& row, X x, Weight weight, Bias bias, Y y, Mean mean, Rstd rstd, Rest...) const {
    using type = typename input_of<X>::type;
    const auto kept = row.template keep_as<typename input_of<X>::held>(x);
    auto s = Statistics::of(row, x, kept, given.value[0]);
    if (is_found(x)) {
      row.store(y, with_affine<Weights, typename Casts::template type<type>>(map(s.how, kept), weight, bias));
    } else {
      s.mean = s.rstd = 0.0f;
      row.store(y, map(always{0.0f}, kept));
      keep_branch_apart();
    }
    row.store_one(mean, s.mean);
    row.store_one(rstd, s.rstd);
  }
};

template <class Weights, class Casts>
using layer_norm = norm<centered, Weights, Casts>;
template <class Weights, class Casts>
using rms_norm = norm<uncentered, Weights, Casts>;

// What x + r is rounded to before the norm reads it: the type it is stored in (that of sum, or else of x), or nothing.
struct round_residual {
  template <class S>
  using type = S;
};
struct keep_residual {
  template <class S>
  using type = float;
};

template <class S>
struct sum_rounded {
  template <class T>
  RS_MEMBER T operator()(T x, T r) const {
    return round_to<S>(x + r);
  }
};

struct plus {
  template <class T>
  RS_MEMBER T operator()(T a, T b) const {
    return a + b;
  }
};

template <class Sum, class X>
struct type_of_sum {
  using type = plain_type<typename Sum::type>;
};
template <class X>
struct type_of_sum<none, X> {
  using type = typename input_of<X>::type;
};

// norm(x + r), or r + norm(x).
struct residual_first {};
struct residual_last {};

template <class Statistics, class Weights, class Casts, class Rounds, class Order>
struct add_norm {
  scalars given;  // epsilon

  template <class Row, class X, class Residual, class Weight, class Bias, class Y, class Sum, class Mean, class Rstd,
            class... Rest>
  RS_MEMBER void operator()(const Row& row, X x, Residual residual, Weight weight, Bias bias, Y y, Sum sum, Mean mean,
                            Rstd rstd, Rest...) const {
    row_statistics<none> s;
    if constexpr (is_same<Order, residual_last>) {
      s = after(row, x, residual, weight, bias, y);
    } else {
      s = before(row, x, residual, weight, bias, y, sum);
    }
    row.store_one(mean, s.mean);
    row.store_one(rstd, s.rstd);
  }

 private:
  template <class X>
  using cast_type = typename Casts::template type<typename input_of<X>::type>;

  template <class Row, class X, class Residual, class Weight, class Bias, class Y, class Sum>
  RS_MEMBER row_statistics<none> before(const Row& row, X x, Residual residual, Weight weight, Bias bias, Y y,
                                        Sum sum) const {
    using type = typename Rounds::template type<typename type_of_sum<Sum, X>::type>;
    const auto added = map(sum_rounded<type>{}, x, residual);
    const auto kept = row.template keep_as<type>(added);
    const auto s = Statistics::of(row, added, kept, given.value[0]);
    if (is_found(x) || is_found(residual)) {
      row.store_two(sum, kept, y, with_affine<Weights, cast_type<X>>(map(s.how, kept), weight, bias));
      return {{}, s.mean, s.rstd};
    }
    row.store_two(sum, kept, y, map(always{0.0f}, kept));
    keep_branch_apart();
    return {{}, 0.0f, 0.0f};
  }

  template <class Row, class X, class Residual, class Weight, class Bias, class Y>
  RS_MEMBER row_statistics<none> after(const Row& row, X x, Residual residual, Weight weight, Bias bias, Y y) const {
    const auto kept = row.template keep_as<typename input_of<X>::held>(x);
    const auto s = Statistics::of(row, x, kept, given.value[0]);
    if (is_found(x)) {
      row.store(y, map(plus{}, with_affine<Weights, cast_type<X>>(map(s.how, kept), weight, bias), residual));
      return {{}, s.mean, s.rstd};
    }
    row.store(y, map(plus{}, map(always{0.0f}, kept), residual));
    keep_branch_apart();
    return {{}, 0.0f, 0.0f};
  }
};

template <class Weights, class Casts, class Rounds, class Order>
using add_layer_norm = add_norm<centered, Weights, Casts, Rounds, Order>;
template <class Weights, class Casts, class Rounds, class Order>
using add_rms_norm = add_norm<uncentered, Weights, Casts, Rounds, Order>;

}  // namespace rs
