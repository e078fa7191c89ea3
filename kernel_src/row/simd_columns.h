// simd_columns: rows that are neighbours in memory, their own elements a stride apart. A block of them is turned into
// rows that lie in one piece, in the cache; the op runs on those; what it wrote there is turned back. Memory is read
// and written Rows elements at a time.
#pragma once

#include "row/simd.h"

namespace rs {

// 16 bytes of elements of one size, and two of them interleaved: the lower halves, the upper halves.
template <int Size>
struct sixteen;
template <>
struct sixteen<2> {
  typedef u16 type __attribute__((vector_size(16)));
  typedef u16 at __attribute__((vector_size(16), aligned(2), may_alias));
#ifdef __clang__
  static RS_MEMBER type low(type a, type b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
  static RS_MEMBER type high(type a, type b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
#else
  static RS_MEMBER type low(type a, type b) { return __builtin_shuffle(a, b, type{0, 8, 1, 9, 2, 10, 3, 11}); }
  static RS_MEMBER type high(type a, type b) { return __builtin_shuffle(a, b, type{4, 12, 5, 13, 6, 14, 7, 15}); }
#endif
};
template <>
struct sixteen<4> {
  typedef u32 type __attribute__((vector_size(16)));
  typedef u32 at __attribute__((vector_size(16), aligned(4), may_alias));
#ifdef __clang__
  static RS_MEMBER type low(type a, type b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
  static RS_MEMBER type high(type a, type b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
#else
  static RS_MEMBER type low(type a, type b) { return __builtin_shuffle(a, b, type{0, 4, 1, 5}); }
  static RS_MEMBER type high(type a, type b) { return __builtin_shuffle(a, b, type{2, 6, 3, 7}); }
#endif
};

// A square of elements, 16 bytes wide, turned: row i of it is at from(i), and goes to column i of what begins at to(0),
// to(1), …
template <class T, class From, class To>
RS_DEVICE void turn_square(From from, To to) {
  using side = sixteen<sizeof(T)>;
  constexpr int n = 16 / static_cast<int>(sizeof(T));
  typename side::type a[n], b[n];
  RS_UNROLL for (int i = 0; i < n; ++i) a[i] = *reinterpret_cast<const typename side::at*>(from(i));
  RS_UNROLL for (int round = 1; round < n; round *= 2) {
    RS_UNROLL for (int i = 0; i < n / 2; ++i) {
      b[2 * i] = side::low(a[i], a[i + n / 2]);
      b[2 * i + 1] = side::high(a[i], a[i + n / 2]);
    }
    RS_UNROLL for (int i = 0; i < n; ++i) a[i] = b[i];
  }
  RS_UNROLL for (int i = 0; i < n; ++i) * reinterpret_cast<typename side::at*>(to(i)) = a[i];
}

// An operand whose rows go through the cache, and where they lie there.
template <class Operand, bool Output>
struct turned {
  using operand = Operand;
  using type = typename Operand::type;
  static constexpr bool output = Output;
};
template <class O>
inline constexpr bool is_turned = false;
template <class Operand, bool Output>
inline constexpr bool is_turned<turned<Operand, Output>> = true;

// The cached rows of one operand; nothing for one that is used where it is.
template <class O, int Width, int Rows>
struct turned_rows {
  template <class Args, class Position>
  RS_MEMBER void fetch(const Args&, const Position&, int) {}
  template <class Args, class Position>
  RS_MEMBER void deliver(const Args&, const Position&, int) const {}
  template <class Args, class Position>
  RS_MEMBER auto row(const Args& args, const Position& at, int) {
    return O::at(args, at);
  }
};

template <class Operand, bool Output, int Width, int Rows>
struct turned_rows<turned<Operand, Output>, Width, Rows> {
  using T = typename Operand::type;
  static constexpr int side = 16 / static_cast<int>(sizeof(T));  // elements of a square that is turned at once
  static constexpr int pitch = (Width + pack_size - 1) / pack_size * pack_size + 64 / static_cast<int>(sizeof(T));
  alignas(64) T element[Rows * pitch];

  template <class Args, class Position>
  RS_MEMBER void fetch(const Args& args, const Position& first, int rows) {
    if constexpr (!Output) turn_in(Operand::at(args, first), rows);
  }
  template <class Args, class Position>
  RS_MEMBER void deliver(const Args& args, const Position& first, int rows) const {
    if constexpr (Output) turn_out(Operand::at(args, first), rows);
  }
  template <class Args, class Position>
  RS_MEMBER auto row(const Args&, const Position&, int r) {
    if constexpr (Output) {
      return row_memory<T, contiguous>{element + r * pitch, 1};
    } else {
      return row_memory<const T, contiguous>{element + r * pitch, 1};
    }
  }

 private:
  template <class X>
  RS_MEMBER void turn_in(X x, int rows) {
    const int squares = rows / side * side;
    int i = 0;
    for (; i + side <= Width; i += side) {
      for (int k = 0; k < side && i + side + k < Width; ++k) prefetch(x.place(i + side + k));
      for (int r = 0; r < squares; r += side) {
        turn_square<T>([&](int k) RS_LAMBDA { return x.place(i + k) + r; },
                       [&](int k) RS_LAMBDA { return element + (r + k) * pitch + i; });
      }
      for (int r = squares; r < rows; ++r) {
        for (int k = 0; k < side; ++k) element[r * pitch + i + k] = x.place(i + k)[r];
      }
    }
    for (; i < Width; ++i) {
      for (int r = 0; r < rows; ++r) element[r * pitch + i] = x.place(i)[r];
    }
  }
  template <class Y>
  RS_MEMBER void turn_out(Y y, int rows) const {
    const int squares = rows / side * side;
    int i = 0;
    for (; i + side <= Width; i += side) {
      for (int r = 0; r < squares; r += side) {
        turn_square<T>([&](int k) RS_LAMBDA { return element + (r + k) * pitch + i; },
                       [&](int k) RS_LAMBDA { return y.place(i + k) + r; });
      }
      for (int r = squares; r < rows; ++r) {
        for (int k = 0; k < side; ++k) y.place(i + k)[r] = element[r * pitch + i + k];
      }
    }
    for (; i < Width; ++i) {
      for (int r = 0; r < rows; ++r) y.place(i)[r] = element[r * pitch + i];
    }
  }
};

template <int Width, keep Keep, int Rows>
struct simd_columns {
  static constexpr keep held = Keep == keep::values && Width * i64{4} > largest_scratch ? keep::storage : Keep;

  template <class Args, class Op, class... O>
  static RS_MEMBER void run(const Args& args, i64 begin, i64 end, Op op, O...) {
    run_with(args, begin, end, op, operands<O...>{});
  }

 private:
  template <class... O>
  struct operands {};

  // Their cached rows one by one, on the stack and not cleared.
  template <class Args, class Op, class Next, class... Left, class... Cached>
  static RS_MEMBER void run_with(const Args& args, i64 begin, i64 end, Op op, operands<Next, Left...>,
                                 Cached&... cached) {
    turned_rows<Next, Width, Rows> mine;
    run_with(args, begin, end, op, operands<Left...>{}, cached..., mine);
  }
  template <class Args, class Op, class... Cached>
  static RS_MEMBER void run_with(const Args& args, i64 begin, i64 end, Op op, operands<>, Cached&... cached) {
    constexpr int outer = Args::outer_axes;
    constexpr int room = held == keep::values ? (Width + pack_size - 1) / pack_size * pack_size : pack_size;
    alignas(64) float scratch[room];
    for (i64 row = begin; row < end;) {
      // Neighbours as far as the fastest of the outer axes goes.
      const row_position<outer> first(args, row);
      i64 rows = args.extent[outer - 1] - first.index[outer - 1];
      if (rows > Rows) rows = Rows;
      if (rows > end - row) rows = end - row;
      const int count = static_cast<int>(rows);
      (cached.fetch(args, first, count), ...);
      row_position<outer> here = first;
      for (int r = 0; r < count; ++r) {
        const simd_row<fixed_width<Width>, held, false, 0> one{{}, scratch, nullptr, false};
        op(one, cached.row(args, here, r)...);
        here.step(args);
      }
      (cached.deliver(args, first, count), ...);
      row += rows;
    }
  }
};

}  // namespace rs
