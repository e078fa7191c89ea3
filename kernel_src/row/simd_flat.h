// simd_flat: every element by itself on the host. A thread walks a stretch of elements in packs; of every pack all
// inputs are loaded before a result is stored.
#pragma once

#include "row/arguments.h"
#include "row/expr.h"
#include "row/simd_operand.h"

namespace rs {

template <class T>
constexpr bool is_raw = false;
template <int Bytes>
constexpr bool is_raw<raw<Bytes>> = true;

// The loaded elements of an input, as an expression.
struct held_pack {
  pack value;

  template <class Piece>
  RS_MEMBER pack get(const Piece&, int) const {
    return value;
  }
};

// N elements of a row, from `offset` on: a whole pack, or 1 to pack_size - 1 of them.
struct whole_piece {
  static constexpr int part = pack_size;
  static constexpr bool count_is_pack = true;
  int offset;
  static constexpr RS_MEMBER int count() { return pack_size; }
};
struct part_piece {
  static constexpr int part = pack_size;
  static constexpr bool count_is_pack = false;
  int offset;
  int elements;
  RS_MEMBER int count() const { return elements; }
};

template <class Where>
struct piece : Where {
  template <class Y, class E>
  RS_MEMBER void store(Y y, E e) const {
    const pack v = e.get(*this, 0);
    if constexpr (Where::count_is_pack) {
      y.put(this->offset, v);
    } else {
      y.put_part(this->offset, v, 0, this->count());
    }
  }
  template <class E>
  RS_MEMBER void store(none, E) const {}

  template <class Y>
  RS_MEMBER void move(Y y, held_pack x) const {
    store(y, x);
  }
  // Elements that are not looked into.
  template <class Y, class T, inner_layout Inner>
  RS_MEMBER void move(Y y, row_memory<const T, Inner> x) const {
    const i64 x_step = Inner == contiguous ? 1 : Inner == broadcast ? 0 : x.step;
    const i64 y_step = Y::inner == contiguous ? 1 : y.step;
    for (int i = 0; i < this->count(); ++i) {
      y.data[(this->offset + i) * y_step] = x.data[(this->offset + i) * x_step];
    }
  }

  RS_MEMBER none load(none) const { return {}; }
  template <class T, inner_layout Inner>
  RS_MEMBER row_memory<T, Inner> load(row_memory<T, Inner> y) const {
    return y;
  }
  template <class T, inner_layout Inner>
  RS_MEMBER auto load(row_memory<const T, Inner> x) const {
    if constexpr (is_raw<T>) {
      return x;
    } else if constexpr (Where::count_is_pack || Inner == broadcast) {
      return held_pack{x.get(*this, this->offset)};
    } else if constexpr (Inner == contiguous) {
      return held_pack{load_part(x.data + this->offset, 0, this->count())};
    } else {
      pack v{};
      for (int i = 0; i < this->count(); ++i) v[i] = to_float(x.data[(this->offset + i) * x.step]);
      return held_pack{v};
    }
  }
};

struct simd_flat {
  // Elements [begin, end) of the call, rows one after the other.
  template <class Args, class Op, class... Operands>
  static RS_MEMBER void run(const Args& args, i64 begin, i64 end, Op op, Operands... operands) {
    i64 row = begin / args.width, column = begin - row * args.width;
    row_position<Args::outer_axes> here(args, row);
    for (i64 at = begin; at < end;) {
      const i64 left = end - at, row_left = args.width - column;
      const i64 in_row = row_left < left ? row_left : left;
      const int count = static_cast<int>(in_row < stretch ? in_row : stretch);
      walk(count, op, from_column(operands.at(args, here), column)...);
      at += count;
      column += count;
      if (column == args.width) {
        column = 0;
        here.step(args);
      }
    }
  }

 private:
  static constexpr i64 stretch = 1 << 20;  // elements whose offsets fit an int

  static RS_MEMBER none from_column(none, i64) { return {}; }
  template <class T, inner_layout Inner>
  static RS_MEMBER row_memory<T, Inner> from_column(row_memory<T, Inner> m, i64 column) {
    m.data += Inner == contiguous ? column : Inner == broadcast ? 0 : column * m.step;
    return m;
  }

  template <class Op, class... Rows>
  static RS_MEMBER void walk(int count, Op op, Rows... rows) {
    int o = 0;
    for (; o + pack_size <= count; o += pack_size) {
      const piece<whole_piece> all{{o}};
      op(all, all.load(rows)...);
    }
    if (o < count) {
      const piece<part_piece> some{{o, count - o}};
      op(some, some.load(rows)...);
    }
  }
};

}  // namespace rs
