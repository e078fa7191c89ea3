// Operands as a host row sees them. An operand is a type: which operand of the argument block it is, how its elements
// are stored, and how they lie. `at` gives the operand of one row: an expression for inputs, a place for outputs.
//
// Expressions yield the pack that begins at element o of the row by `get(row, o)`; the row knows how many of its
// elements there are (`row.part`: all of a pack, or the whole of a row that is narrower than one).
#pragma once

namespace rs {

// How the elements of a row lie.
enum inner_layout { contiguous = 1, broadcast = 2, strided = 3, folded_contiguous = 4, folded_strided = 5 };

// Of rows whose reduced axes do not merge: where element `at` of a row lies, from the row's first, and how many
// elements of its run there are from there on.
template <class Args, int Index>
struct folded {
  const Args* args;

  struct place {
    i64 offset;
    i64 left;
  };
  RS_MEMBER place at(i64 number) const {
    constexpr int first = Args::outer_axes, axes = Args::inner_axes;
    const i64* stride = args->op[Index].stride + first;
    u32 rest = static_cast<u32>(number);
    place p{0, 0};
    for (int axis = axes - 1; axis > 0; --axis) {
      const u32 extent = static_cast<u32>(args->extent[first + axis]);
      const u32 next = rest / extent, here = rest - next * extent;
      if (axis == axes - 1) p.left = extent - here;
      p.offset += here * stride[axis];
      rest = next;
    }
    p.offset += rest * stride[0];
    return p;
  }
};

template <class Args, int Index, inner_layout Inner>
struct step_of {
  using type = i64;
  static RS_MEMBER i64 of(const Args& args) { return args.op[Index].inner_stride(); }
};
template <class Args, int Index>
struct step_of<Args, Index, folded_contiguous> {
  using type = folded<Args, Index>;
  static RS_MEMBER type of(const Args& args) { return {&args}; }
};
template <class Args, int Index>
struct step_of<Args, Index, folded_strided> : step_of<Args, Index, folded_contiguous> {};

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

// One operand of one row, in memory. `step` is read for strided and folded layouts alone.
template <class T, inner_layout Inner, bool Picked = false, class Step = i64>
struct row_memory {
  using type = T;
  static constexpr inner_layout inner = Inner;
  static constexpr bool picked = Picked;
  static constexpr bool loaded = true;  // elements come straight from memory: holding them again would gain nothing
  T* data;                              // null, where Picked: the row is not there, and reads as zeros
  Step step;

  static constexpr bool is_folded = Inner == folded_contiguous || Inner == folded_strided;

  RS_MEMBER bool is_there() const { return !Picked || data != nullptr; }

  template <class Row>
  RS_MEMBER pack get(const Row& row, int o) const {
    if (!is_there()) return pack{};
    if constexpr (Inner == broadcast) {
      return splat(to_float(*data));
    } else if constexpr (Inner == strided) {
      pack v{};
      for (int i = 0; i < row.part; ++i) v[i] = to_float(data[(o + i) * step]);
      return v;
    } else if constexpr (is_folded) {
      const auto p = step.at(o);
      if (Inner == folded_contiguous && p.left >= row.part) {
        return row.part == pack_size ? load(data + p.offset) : load_part(data + p.offset, 0, row.part);
      }
      pack v{};
      for (int i = 0; i < row.part; ++i) v[i] = to_float(*place(o + i));
      return v;
    } else {
      return row.part == pack_size ? load(data + o) : load_part(data + o, 0, row.part);
    }
  }

  RS_MEMBER float element(i64 at) const {
    if (!is_there()) return 0.0f;
    return to_float(*place(at));
  }

  // Where element `at` is.
  RS_MEMBER T* place(i64 at) const {
    if constexpr (is_folded) {
      return data + step.at(at).offset;
    } else {
      return data + (Inner == broadcast ? 0 : Inner == strided ? at * step : at);
    }
  }

  // Elements [first, end) of the pack at o.
  RS_MEMBER void put_part(int o, pack v, int first, int end) const {
    if constexpr (Inner == strided) {
      for (int i = first; i < end; ++i) data[(o + i) * step] = storage<T>::of(v[i]);
    } else if constexpr (is_folded) {
      const auto p = step.at(o);
      if (Inner == folded_contiguous && p.left >= end) {
        store_part(data + p.offset, v, first, end);
      } else {
        for (int i = first; i < end; ++i) *place(o + i) = storage<T>::of(v[i]);
      }
    } else {
      store_part(data + o, v, first, end);
    }
  }
  RS_MEMBER void put(int o, pack v) const {
    if constexpr (Inner == strided || is_folded) {
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
  static RS_MEMBER auto at(const Args& args, const Position& row) {
    using step = step_of<Args, Index, Inner>;
    const auto& o = args.op[Index];
    return row_memory<const T, Inner, false, typename step::type>{static_cast<const T*>(o.data) + row.offset(o.stride),
                                                                  step::of(args)};
  }
};

// The same of a table whose rows are picked by operand By: see row/operand.h.
template <int Index, class T, inner_layout Inner, int Align, int By, class Number>
struct picked_input {
  using type = T;
  static constexpr int index = Index;
  template <class Args, class Position>
  static RS_MEMBER auto at(const Args& args, const Position& row) {
    using step = step_of<Args, Index, Inner>;
    const auto& o = args.op[Index];
    const i64 pick = static_cast<const Number*>(args.op[By].data)[row.offset(args.op[By].stride)];
    const bool there = static_cast<u64>(pick) < static_cast<u64>(args.op[By].inner_stride());
    return row_memory<const T, Inner, true, typename step::type>{
        there ? static_cast<const T*>(o.data) + pick * o.stride[Args::outer_axes - 1] : nullptr, step::of(args)};
  }
};

template <int Index, class T, inner_layout Inner, int Align = 1>
struct output {
  using type = T;
  static constexpr int index = Index;
  template <class Args, class Position>
  static RS_MEMBER auto at(const Args& args, const Position& row) {
    using step = step_of<Args, Index, Inner>;
    const auto& o = args.op[Index];
    return row_memory<T, Inner, false, typename step::type>{static_cast<T*>(o.data) + row.offset(o.stride),
                                                            step::of(args)};
  }
};

// An output whose rows operand By names: rows of another are added to them.
template <int Index, class T, inner_layout Inner, int Align, int By, class Number>
struct picked_output {
  using type = T;
  static constexpr int index = Index;
  template <class Args>
  static RS_MEMBER auto at(const Args& args, i64 table_row) {
    using step = step_of<Args, Index, Inner>;
    const auto& o = args.op[Index];
    return row_memory<T, Inner, false, typename step::type>{
        static_cast<T*>(o.data) + table_row * o.stride[Args::outer_axes - 1], step::of(args)};
  }
  // The number of a row, whatever it is.
  template <class Args, class Position>
  static RS_MEMBER i64 number(const Args& args, const Position& row) {
    return static_cast<const Number*>(args.op[By].data)[row.offset(args.op[By].stride)];
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
