// A piece: some elements of a row, one after the other, that one thread works on; and a bundle: what it holds of every
// operand, all loaded before any is used.
#pragma once

#include "row/expr.h"
#include "row/operand.h"

namespace rs {

// The loaded elements of an input, as an expression.
template <class T, int N>
struct held_words {
  using type = T;
  stored_pack<T, N> words;

  template <class Piece>
  RS_MEMBER pack<N> get(const Piece&, int) const {
    return unpack(words);
  }
};

// The same elements as another type stores them: as they are, where it is the same type.
template <class To, class From, int N>
RS_DEVICE stored_pack<To, N> as_stored(const stored_pack<From, N>& from) {
  if constexpr (same<To, From>) {
    return from;
  } else {
    return stored<To>(unpack(from));
  }
}

// N elements from `column` on. Where they are not `there`, nothing is read or written.
template <class Args, int N>
struct piece {
  static constexpr int pack_size = N;
  const Args* args;
  row_place<Args::outer_axes> row;
  i64 column;
  bool there;

  template <class Y, class E>
  RS_MEMBER void store(Y, E e) const {
    write<Y>(stored<typename Y::type>(e.get(*this, 0)));
  }
  template <class E>
  RS_MEMBER void store(none, E) const {}

  template <class Y, class T>
  RS_MEMBER void move(Y, held_words<T, N> x) const {
    write<Y>(as_stored<typename Y::type>(x.words));
  }

 private:
  template <class Y>
  RS_MEMBER void write(const stored_pack<typename Y::type, N>& words) const {
    if (there) Y::at(*args, row).write(column, i64{0}, words);
  }
};

// An output is not held: it is itself. What a kernel does not have is nothing.
struct bundle_end {
  template <class Op, class Piece, class... Before>
  RS_MEMBER void call(Op op, const Piece& at, const Before&... before) const {
    op(at, before...);
  }
};

template <class Held, class More>
struct bundle {
  Held held;
  More more;

  template <class Op, class Piece, class... Before>
  RS_MEMBER void call(Op op, const Piece& at, const Before&... before) const {
    more.call(op, at, before..., held);
  }
};

template <int N, class Args>
RS_DEVICE none load_held(const Args&, const row_place<Args::outer_axes>&, i64, bool, none) {
  return {};
}
template <int N, class Args, int Index, class T, class Inner, int Align>
RS_DEVICE output<Index, T, Inner, Align> load_held(const Args&, const row_place<Args::outer_axes>&, i64, bool,
                                                   output<Index, T, Inner, Align> y) {
  return y;
}
template <int N, class Args, class Input>
RS_DEVICE auto load_held(const Args& args, const row_place<Args::outer_axes>& row, i64 column, bool there, Input) {
  held_words<typename Input::type, N> h;
  if (there) {
    h.words = Input::at(args, row).template read<N, reuse::once>(column, i64{0});
  } else {
    RS_UNROLL
    for (int w = 0; w < h.words.words; ++w) h.words.word[w] = 0;
  }
  return h;
}

template <int N, class Args>
RS_DEVICE bundle_end load_bundle(const Args&, const row_place<Args::outer_axes>&, i64, bool) {
  return {};
}
template <int N, class Args, class First, class... More>
RS_DEVICE auto load_bundle(const Args& args, const row_place<Args::outer_axes>& row, i64 column, bool there,
                           First first, More... more) {
  const auto held = load_held<N>(args, row, column, there, first);
  const auto rest = load_bundle<N>(args, row, column, there, more...);
  return bundle<decltype(load_held<N>(args, row, column, there, first)),
                decltype(load_bundle<N>(args, row, column, there, more...))>{held, rest};
}

}  // namespace rs
