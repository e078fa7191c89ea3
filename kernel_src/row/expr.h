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

// f applied element by element. `apply` comes with the machine's packs.
template <class F, class... E>
struct mapped;

template <class F, class A>
struct mapped<F, A> {
  F f;
  A a;
  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    return apply(f, a.get(row, i));
  }
};

template <class F, class A, class B>
struct mapped<F, A, B> {
  F f;
  A a;
  B b;
  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    return apply(f, a.get(row, i), b.get(row, i));
  }
};

template <class F, class... E>
RS_DEVICE mapped<F, E...> map(F f, E... e) {
  return {f, e...};
}

}  // namespace rs
