// Lazy expressions over a row. An expression yields its i-th piece by `get(row, i)`: a pack of floats on a GPU, a
// native vector on the host. What `i` counts is the row's own affair (a register index, or an element offset).
#pragma once

namespace rs {

// What `hold` gives back: the kept expression, and the reduction of the whole row.
template <class E>
struct kept {
  E expr;
  float value;
};

// f applied element by element to the pieces of several expressions. `apply` comes with the machine's packs.
template <class F, class... E>
struct mapped;

template <class F>
struct mapped<F> {
  F f;
  template <class Row, class... Pieces>
  RS_MEMBER auto get_behind(const Row&, int, const Pieces&... pieces) const {
    return apply(f, pieces...);
  }
  template <class Change, class... Changed>
  RS_MEMBER auto rebuilt_behind(Change, const Changed&... changed) const;
};

template <class F, class A, class... Rest>
struct mapped<F, A, Rest...> {
  A a;
  mapped<F, Rest...> rest;

  RS_MEMBER bool is_there() const { return a.is_there(); }

  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    return get_behind(row, i);
  }
  template <class Row, class... Pieces>
  RS_MEMBER auto get_behind(const Row& row, int i, const Pieces&... pieces) const {
    return rest.get_behind(row, i, pieces..., a.get(row, i));
  }

  // The same expression of other leaves: change(leaf) in place of each, in order.
  template <class Change>
  RS_MEMBER auto rebuilt(Change change) const {
    return rebuilt_behind(change);
  }
  template <class Change, class... Changed>
  RS_MEMBER auto rebuilt_behind(Change change, const Changed&... changed) const {
    return rest.rebuilt_behind(change, changed..., change(a));
  }
};

// A row that is worked on before an op is there where what it is made of is: where its first leaf is.
template <class F, class A, class... Rest>
inline constexpr bool may_be_missing<mapped<F, A, Rest...>, void> = may_be_missing<A>;

template <class F>
RS_DEVICE mapped<F> map(F f) {
  return {f};
}
template <class F, class A, class... Rest>
RS_DEVICE mapped<F, A, Rest...> map(F f, A a, Rest... rest) {
  return {a, map(f, rest...)};
}

template <class F>
template <class Change, class... Changed>
RS_MEMBER auto mapped<F>::rebuilt_behind(Change, const Changed&... changed) const {
  return map(f, changed...);
}

}  // namespace rs
