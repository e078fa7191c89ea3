// crossed: a copy between tensors whose fastest axes differ. Square tiles are read along x's fastest axis, the lines,
// and written along y's, the rows; they are turned in shared memory.
#pragma once

#include "row/bundle.h"
#include "row/operand.h"

namespace rs {

// The axis that x's lines lie along, among the outer ones.
struct line_axis {
  int axis = -1;
  i64 extent = 1;
  i64 y_stride = 0;
};

// XPack, YPack: elements of an access along a line of x, along a row of y.
template <int Tile, int Threads, int XPack, int YPack>
struct crossed {
  static constexpr int pitch = Tile + 1;

  template <class Args, class Op, class X, class Y>
  static RS_MEMBER void run(const Args& args, Op, X, Y) {
    using T = typename X::type;
    RS_SHARED T turned[Tile * pitch];
    const line_axis lines = find_lines<X::index, Y::index>(args);
    const i64 down = (lines.extent + Tile - 1) / Tile, across = (args.width + Tile - 1) / Tile;
    const i64 all = args.rows / lines.extent * down * across;
    for (i64 tile = block_index(); tile < all; tile += args.blocks) {
      const i64 batch = tile / (down * across), rest = tile - batch * (down * across);
      const i64 line = rest / across, first_line = line * Tile, first_column = (rest - line * across) * Tile;
      const i64 lines_left = lines.extent - first_line, columns_left = args.width - first_column;
      const i64 x_step = args.op[X::index].inner_stride();
      const T* x = static_cast<const T*>(args.op[X::index].data) + batch_offset(args, X::index, batch, lines.axis) +
                   first_column * x_step + first_line;
      auto* y = static_cast<typename Y::type*>(args.op[Y::index].data) +
                batch_offset(args, Y::index, batch, lines.axis) + first_line * lines.y_stride + first_column;
      read(turned, x, x_step, lines_left, columns_left);
      barrier();
      write(turned, y, lines.y_stride, lines_left, columns_left);
      barrier();
    }
  }

 private:
  template <int X, int Y, class Args>
  static RS_MEMBER line_axis find_lines(const Args& args) {
    line_axis found;
    RS_UNROLL
    for (int k = 0; k < Args::outer_axes; ++k) {
      if (found.axis < 0 && args.extent[k] > 1 && args.op[X].stride[k] == 1) {
        found = {k, args.extent[k], args.op[Y].stride[k]};
      }
    }
    return found;
  }

  // `batch` taken apart over the outer axes but for the lines'.
  template <class Args>
  static RS_MEMBER i64 batch_offset(const Args& args, int operand, i64 batch, int without) {
    i64 offset = 0;
    RS_UNROLL
    for (int k = Args::outer_axes - 1; k >= 0; --k) {
      const i64 extent = k == without ? 1 : args.extent[k], next = batch / extent;
      offset += (batch - next * extent) * args.op[operand].stride[k];
      batch = next;
    }
    return offset;
  }

  template <class T>
  static RS_MEMBER void read(T* turned, const T* x, i64 x_step, i64 lines_left, i64 columns_left) {
    constexpr int along = Tile / XPack, turns = Tile * along / Threads;
    stored_pack<T, XPack> held[turns];
    RS_UNROLL
    for (int t = 0; t < turns; ++t) {
      const int n = t * Threads + thread_index(), column = n / along, line = n % along * XPack;
      RS_UNROLL
      for (int w = 0; w < held[t].words; ++w) held[t].word[w] = 0;
      if (column >= columns_left) continue;
      const source<T, contiguous, XPack* static_cast<int>(sizeof(T))> from{x + column * x_step, 1};
      if (line + XPack <= lines_left) {
        held[t] = from.template read<XPack, reuse::once>(line, 0);
      } else if constexpr (XPack > 1) {
        RS_UNROLL
        for (int k = 0; k < XPack; ++k) {
          if (line + k < lines_left) held[t].set_element(k, from.read_element(line + k));
        }
      }
    }
    RS_UNROLL
    for (int t = 0; t < turns; ++t) {
      const int n = t * Threads + thread_index(), column = n / along, line = n % along * XPack;
      RS_UNROLL
      for (int k = 0; k < XPack; ++k) turned[column * pitch + line + k] = held[t].element(k);
    }
  }

  template <class T, class U>
  static RS_MEMBER void write(const T* turned, U* y, i64 y_step, i64 lines_left, i64 columns_left) {
    constexpr int along = Tile / YPack, turns = Tile * along / Threads;
    RS_UNROLL
    for (int t = 0; t < turns; ++t) {
      const int n = t * Threads + thread_index(), line = n / along, column = n % along * YPack;
      stored_pack<T, YPack> held;
      RS_UNROLL
      for (int w = 0; w < held.words; ++w) held.word[w] = 0;
      RS_UNROLL
      for (int k = 0; k < YPack; ++k) held.set_element(k, turned[(column + k) * pitch + line]);
      if (line >= lines_left) continue;
      const stored_pack<U, YPack> out = as_stored<U>(held);
      const target<U, contiguous, YPack* static_cast<int>(sizeof(U))> to{y + line * y_step, 1};
      if (column + YPack <= columns_left) {
        to.write(column, 0, out);
      } else if constexpr (YPack > 1) {
        RS_UNROLL
        for (int k = 0; k < YPack; ++k) {
          if (column + k < columns_left) to.write_element(column + k, out.element(k));
        }
      }
    }
  }
};

}  // namespace rs
