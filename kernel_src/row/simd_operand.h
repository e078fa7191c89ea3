// Operands as a host row sees them. An operand is a type: which operand of the argument block it is, how its elements
// are stored, and how they lie. `at` gives the operand of one row: an expression for inputs, a place for outputs.
//
// Expressions yield the pack that begins at element o of the row by `get(row, o)`; the row knows how many of its
// elements there are (`Row::part`: all of a pack, or the whole of a row that is narrower than one).
#pragma once

namespace rs {

// How the elements of a row lie.
enum inner_layout { contiguous = 1, broadcast = 2, strided = 3 };

// Which row it is: its index along each outer axis, slowest first. Stepping on costs an addition; only a chunk's first
// row is divided out.
template <int Outer>
struct row_position {
  i64 index[Outer];

  template <class Args>
  RS_MEMBER row_position(const Args& args, i64 row) {
    if constexpr (Outer == 1) {
      index[0] = row;
    } else {
      for (int k = Outer - 1; k >= 0; --k) {
        index[k] = row % args.extent[k];
        row /= args.extent[k];
      }
    }
  }

  template <class Args>
  RS_MEMBER void step(const Args& args) {
    ++index[Outer - 1];
    for (int k = Outer - 1; k > 0 && index[k] == args.extent[k]; --k) {
      index[k] = 0;
      ++index[k - 1];
    }
  }

  // Elements from an operand's first row to this one.
  RS_MEMBER i64 offset(const i64* stride) const {
    i64 sum = index[0] * stride[0];
    for (int k = 1; k < Outer; ++k) sum += index[k] * stride[k];
    return sum;
  }
};

// One operand of one row, in memory. `step` is read for strided layouts alone.
template <class T, inner_layout Inner, bool Picked = false>
struct row_memory {
  using type = T;
  static constexpr inner_layout inner = Inner;
  static constexpr bool picked = Picked;
  static constexpr bool loaded = true;  // elements come straight from memory: holding them again would gain nothing
  T* data;  // null, where Picked: the row is not there, and reads as zeros
  i64 step;

  RS_MEMBER bool is_there() const { return !Picked || data != nullptr; }

  template <class Row>
  RS_MEMBER pack get(const Row&, int o) const {
    if (!is_there()) return pack{};
    if constexpr (Inner == broadcast) {
      return splat(to_float(*data));
    } else if constexpr (Inner == strided) {
      pack v{};
      for (int i = 0; i < Row::part; ++i) v[i] = to_float(data[(o + i) * step]);
      return v;
    } else if constexpr (Row::part == pack_size) {
      return load(data + o);
    } else {
      return load_part(data + o, 0, Row::part);
    }
  }

  RS_MEMBER float element(i64 at) const {
    if (!is_there()) return 0.0f;
    return to_float(data[Inner == broadcast ? 0 : Inner == strided ? at * step : at]);
  }

  // Elements [first, end) of the pack at o.
  RS_MEMBER void put_part(int o, pack v, int first, int end) const {
    if constexpr (Inner == strided) {
      for (int i = first; i < end; ++i) data[(o + i) * step] = storage<T>::of(v[i]);
    } else {
      store_part(data + o, v, first, end);
    }
  }
  RS_MEMBER void put(int o, pack v) const {
    if constexpr (Inner == strided) {
      put_part(o, v, 0, pack_size);
    } else {
      store(data + o, v);
    }
  }
};

// The first `count` elements of v; behind them, `otherwise`.
RS_DEVICE pack first_of(pack v, int count, float otherwise) {
  return count >= pack_size ? v : select(element_number() < count, v, splat(otherwise));
}

// Operand `Index` of the argument block. Align, the alignment that every row is known to have, and for how long its
// lines are wanted are of no use on a CPU: accesses that do not cross a line cost the same at any address.
enum class reuse { once, again };

template <int Index, class T, inner_layout Inner, int Align = 1, reuse Wanted = reuse::once>
struct input {
  using type = T;
  static constexpr int index = Index;
  template <class Args, class Position>
  static RS_MEMBER row_memory<const T, Inner> at(const Args& args, const Position& row) {
    const auto& o = args.op[Index];
    return {static_cast<const T*>(o.data) + row.offset(o.stride), o.inner_stride()};
  }
};

// The same of a table whose rows are picked by operand By: see row/operand.h.
template <int Index, class T, inner_layout Inner, int Align, int By, class Number>
struct picked_input {
  using type = T;
  static constexpr int index = Index;
  template <class Args, class Position>
  static RS_MEMBER row_memory<const T, Inner, true> at(const Args& args, const Position& row) {
    const auto& o = args.op[Index];
    const i64 pick = static_cast<const Number*>(args.op[By].data)[row.offset(args.op[By].stride)];
    const bool there = static_cast<u64>(pick) < static_cast<u64>(args.op[By].inner_stride());
    return {there ? static_cast<const T*>(o.data) + pick * o.stride[Args::outer_axes - 1] : nullptr, o.inner_stride()};
  }
};

template <int Index, class T, inner_layout Inner, int Align = 1>
struct output {
  using type = T;
  static constexpr int index = Index;
  template <class Args, class Position>
  static RS_MEMBER row_memory<T, Inner> at(const Args& args, const Position& row) {
    const auto& o = args.op[Index];
    return {static_cast<T*>(o.data) + row.offset(o.stride), o.inner_stride()};
  }
};

// An operand without memory: a number made of the row's place.
struct number {
  i64 value;
};
template <int Index>
struct virtual_input {
  static constexpr int index = Index;
  template <class Args, class Position>
  static RS_MEMBER number at(const Args& args, const Position& row) {
    return {reinterpret_cast<i64>(args.op[Index].data) + row.offset(args.op[Index].stride)};
  }
};

}  // namespace rs
