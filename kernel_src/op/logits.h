// What a softmax is taken of: fl(fl(fl(x * scale) + mask) + bias), each step rounded as if it had been stored, and -inf
// where a mask or the causal limit removes the position, whatever it holds.
#pragma once

#include "row/arguments.h"
#include "row/expr.h"
#include "row/limited.h"
#include "row/reductions.h"

namespace rs {

// What becomes of a row of which nothing survives: NaN, as everywhere, or zeros.
struct plain {};
struct masked {};
template <class Mode>
inline constexpr bool is_masked = false;
template <>
inline constexpr bool is_masked<masked> = true;

struct no_scale {};
struct with_scale {};

// What a mask's elements say.
struct no_mask {};
struct keep_mask {};
struct drop_mask {};
struct additive_mask {};

struct times {  // ends_in_product: see row/product.h
  static constexpr bool has_scale = true;
  float scale;

  template <class T>
  RS_MEMBER T factor_of(T e) const {
    return e;
  }
  template <class T>
  RS_MEMBER T operator()(T e) const {
    return e * scale;
  }
};

struct plus {
  template <class T>
  RS_MEMBER T operator()(T a, T b) const {
    return a + b;
  }
};

struct kept_where_true {
  template <class T>
  RS_MEMBER T operator()(T z, T mask) const {
    return select(mask != 0.0f, z, T{} + minus_infinity);
  }
};
struct kept_where_false {
  template <class T>
  RS_MEMBER T operator()(T z, T mask) const {
    return select(mask != 0.0f, T{} + minus_infinity, z);
  }
};

// A row of zeros where the row is not to be seen.
struct only_where {
  bool seen;
  template <class T>
  RS_MEMBER T operator()(T v) const {
    return seen ? v : T{};
  }
};

template <class E>
RS_DEVICE E times_scale(no_scale, float, E e) {
  return e;
}
template <class E>
RS_DEVICE auto times_scale(with_scale, float scale, E e) {
  return map(times{scale}, e);
}

template <class E, class Bias>
RS_DEVICE auto plus_bias(E e, Bias bias) {
  return map(plus{}, e, bias);
}
template <class E>
RS_DEVICE E plus_bias(E e, none) {
  return e;
}

template <class Form, class E, class Mask>
RS_DEVICE E plus_mask(Form, E e, Mask) {
  return e;
}
template <class E, class Mask>
RS_DEVICE auto plus_mask(additive_mask, E e, Mask mask) {
  return map(plus{}, e, mask);
}

template <class Form, class E, class Mask>
RS_DEVICE E without_removed(Form, E e, Mask) {
  return e;
}
template <class E, class Mask>
RS_DEVICE auto without_removed(keep_mask, E e, Mask mask) {
  return map(kept_where_true{}, e, mask);
}
template <class E, class Mask>
RS_DEVICE auto without_removed(drop_mask, E e, Mask mask) {
  return map(kept_where_false{}, e, mask);
}

// Causal: `last` is the row's last position that takes part. Behind it there is `otherwise`, unread.
template <class Row, class E>
RS_DEVICE E up_to(const Row&, E e, none, float) {
  return e;
}
template <class Row, class E>
RS_DEVICE auto up_to(const Row& row, E e, number last, float otherwise) {
  const auto width = row.width();
  using offset = plain_type<decltype(width)>;
  const i64 keys = last.value + 1;
  return limit(e, static_cast<offset>(keys < 0 ? 0 : keys < width ? keys : width), otherwise);
}

template <class Form, class Scale, class Row, class X, class Mask, class Bias, class Causal>
RS_DEVICE auto logits(const Row& row, float scale, X x, Mask mask, Bias bias, Causal causal) {
  const auto z = plus_bias(plus_mask(Form{}, times_scale(Scale{}, scale, x), mask), bias);
  return up_to(row, without_removed(Form{}, z, mask), causal, minus_infinity);
}

// Is there a row behind x? Only one that an index picks may be missing.
template <class X>
RS_DEVICE bool row_is_there(const X& x) {
  if constexpr (may_be_missing<X>) return x.is_there();
  return true;
}

// e, or zeros where x's row is missing.
template <class X, class E>
RS_DEVICE auto where_there(const X& x, E e) {
  if constexpr (may_be_missing<X>) {
    return map(only_where{x.is_there()}, e);
  } else {
    return e;
  }
}

}  // namespace rs
