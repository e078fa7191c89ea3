// Gradients of layer_norm and rms_norm. With g = dy * weight:
//   dx = rstd (g - mean(g) - x^ mean(g x^)), without mean(g) for rms_norm; what else flows into x is added.
//   dweight = sum over rows of dy x^, dbias of dy.
// The statistics come from x, as in the forward: saved ones would have been rounded.
#pragma once

#include "op/normalize.h"

namespace rs {

template <class Weights>
struct weighted {
  template <class T>
  RS_MEMBER T operator()(T dy) const {
    return dy;
  }
  template <class T>
  RS_MEMBER T operator()(T dy, T w) const {
    return dy * Weights::scale(w);
  }
};

struct product {
  template <class T>
  RS_MEMBER T operator()(T a, T b) const {
    return a * b;
  }
};

struct gradient {
  float rstd;
  float mean_g;
  float mean_gx;
  template <class T>
  RS_MEMBER T operator()(T g, T n) const {
    return ((g - mean_g) - n * mean_gx) * rstd;
  }
  template <class T>
  RS_MEMBER T operator()(T g, T n, T more) const {
    return (*this)(g, n) + more;
  }
};

// Where there are no sums over rows.
struct nothing_to_sum {
  template <int K, class Row, class E>
  RS_MEMBER void add(const Row&, const E&) {}
};

template <class Statistics, class Weights>
struct norm_backward {
  scalars given;  // epsilon

  // What launches of this op with these operands sum over rows: dy x^ and dy.
  template <class X, class Dy, class Weight, class Dx, class Dweight, class Dbias, class... Rest>
  static constexpr int column_sums = is_present<Dweight> || is_present<Dbias> ? 2 : 0;

  template <class Row, class... O>
  RS_MEMBER void operator()(const Row& row, O... o) const {
    nothing_to_sum sums;
    with_sums(row, sums, o...);
  }

  template <class Row, class Sums, class X, class Dy, class Weight, class Dx, class Dweight, class Dbias, class More>
  RS_MEMBER void with_sums(const Row& row, Sums& sums, X x, Dy dy, Weight weight, Dx dx, Dweight, Dbias,
                           More more) const {
    const auto kept = row.template keep_as<typename input_of<X>::held>(x);
    const auto kept_dy = row.template keep_as<typename input_of<Dy>::held>(dy);
    const auto s = Statistics::of(row, x, kept, given.value[0]);
    const auto n = map(s.how, kept);
    if constexpr (is_present<Dweight>) sums.template add<0>(row, map(product{}, kept_dy, n));
    if constexpr (is_present<Dbias>) sums.template add<1>(row, kept_dy);
    if constexpr (is_present<Dx>) {
      if constexpr (is_present<Weight>) {
        store_dx(row, dx, map(weighted<Weights>{}, kept_dy, weight), n, s.rstd, more);
      } else {
        store_dx(row, dx, kept_dy, n, s.rstd, more);
      }
    }
  }

 private:
  template <class Row, class Dx, class G, class N, class More>
  static RS_MEMBER void store_dx(const Row& row, Dx dx, const G& g, const N& n, float rstd, More more) {
    const float share = share_of_one(row);
    gradient of{rstd, 0.0f, 0.0f};
    if constexpr (is_same<Statistics, centered>) of.mean_g = row.template reduce<sum_of>(g) * share;
    of.mean_gx = row.template reduce<sum_of>(map(product{}, g, n)) * share;
    if constexpr (is_present<More>) {
      row.store(dx, map(of, g, n, more));
    } else {
      row.store(dx, map(of, g, n));
    }
  }
};

template <class Weights>
using layer_norm_backward = norm_backward<centered, Weights>;
template <class Weights>
using rms_norm_backward = norm_backward<uncentered, Weights>;

// The second launch: the sums over all rows go where they belong.
struct store_column_sums {
  scalars given;

  template <class Columns, class X, class Dy, class Weight, class Dx, class Dweight, class Dbias, class... Rest>
  RS_MEMBER void operator()(const Columns& columns, X, Dy, Weight, Dx, Dweight dweight, Dbias dbias, Rest...) const {
    columns.template store<0>(dweight);
    columns.template store<1>(dbias);
  }
};

}  // namespace rs
