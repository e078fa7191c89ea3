// simd_columns: rows that are neighbours in memory, their own elements a stride apart. A block of them is turned into rows
// that lie in one piece, in the cache; the op runs on those; what it wrote there is turned back. Memory is read and written
// Rows elements at a time.
#pragma once

#include "row/simd.h"

namespace rs {

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
  static constexpr int pitch = (Width + pack_size - 1) / pack_size * pack_size + 64 / static_cast<int>(sizeof(T));
  alignas(64) T element[Rows * pitch];

  template <class Args, class Position>
  RS_MEMBER void fetch(const Args& args, const Position& first, int rows) {
    if constexpr (Output) return;
    const auto x = Operand::at(args, first);
    for (int i = 0; i < Width; ++i) {
      const auto* from = x.place(i);
      if (i + 8 < Width) prefetch(x.place(i + 8));
      if (rows == Rows) {
        RS_UNROLL for (int r = 0; r < Rows; ++r) element[r * pitch + i] = from[r];
      } else {
        for (int r = 0; r < rows; ++r) element[r * pitch + i] = from[r];
      }
    }
  }
  template <class Args, class Position>
  RS_MEMBER void deliver(const Args& args, const Position& first, int rows) const {
    if constexpr (!Output) return;
    const auto y = Operand::at(args, first);
    for (int i = 0; i < Width; ++i) {
      auto* to = const_cast<T*>(y.place(i));
      if (rows == Rows) {
        RS_UNROLL for (int r = 0; r < Rows; ++r) to[r] = element[r * pitch + i];
      } else {
        for (int r = 0; r < rows; ++r) to[r] = element[r * pitch + i];
      }
    }
  }
  template <class Args, class Position>
  RS_MEMBER auto row(const Args&, const Position&, int r) {
    if constexpr (Output) {
      return row_memory<T, contiguous>{element + r * pitch, 1};
    } else {
      return row_memory<const T, contiguous>{element + r * pitch, 1};
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
        const simd_row<Width, held, false, 0> one{scratch, nullptr, false};
        op(one, cached.row(args, here, r)...);
        here.step(args);
      }
      (cached.deliver(args, first, count), ...);
      row += rows;
    }
  }
};

}  // namespace rs
