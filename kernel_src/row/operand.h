// Operands of the wave model: how a kernel names a tensor, and how one row of it is read or written in packs.
#pragma once

#include "row/arguments.h"
#include "row/pack.h"

namespace rs {

// How the elements of a row lie: side by side, one for all (stride 0), a run-time stride apart, or side by side in
// shared memory.
struct contiguous {};
struct broadcast {};
struct strided {};
struct in_shared {};

// Of rows whose reduced axes do not merge: an element's number is taken apart over them. The runs of the fastest axis
// lie side by side, and packs stay inside a run; or their elements lie a stride apart.
struct folded_contiguous {};
struct folded_strided {};

// Where element `at` of a row lies, from the row's first.
template <class Args, int Index, class Inner>
struct folded {
  const Args* args;

  template <class Offset>
  RS_MEMBER i64 offset(Offset at) const {
    if (sizeof(Offset) == 4 || args->width >> 32 == 0) return taken_apart(static_cast<u32>(at));
    return taken_apart(static_cast<u64>(at));
  }

 private:
  template <class Number>
  RS_MEMBER i64 taken_apart(Number rest) const {
    constexpr int first = Args::outer_axes, axes = Args::inner_axes;
    i64 sum = 0;
    RS_UNROLL
    for (int axis = axes - 1; axis > 0; --axis) {
      const Number extent = static_cast<Number>(args->extent[first + axis]);
      const Number next = rest / extent;
      sum += static_cast<i64>(rest - next * extent) * args->op[Index].stride[first + axis];
      rest = next;
    }
    return sum + static_cast<i64>(rest) * args->op[Index].stride[first];
  }
};

template <class Inner>
inline constexpr bool is_folded = false;
template <class Args, int Index, class Inner>
inline constexpr bool is_folded<folded<Args, Index, Inner>> = true;
template <class Inner>
inline constexpr bool has_runs = false;
template <class Args, int Index>
inline constexpr bool has_runs<folded<Args, Index, folded_contiguous>> = true;

// How a source or a target of operand Index lies, and what it has to know for that: a stride, or where elements are.
template <class Inner, class Args, int Index>
struct lie {
  using type = Inner;
  static RS_MEMBER i64 of(const Args& args) { return args.op[Index].inner_stride(); }
};
template <class Args, int Index>
struct lie<folded_contiguous, Args, Index> {
  using type = folded<Args, Index, folded_contiguous>;
  static RS_MEMBER type of(const Args& args) { return {&args}; }
};
template <class Args, int Index>
struct lie<folded_strided, Args, Index> {
  using type = folded<Args, Index, folded_strided>;
  static RS_MEMBER type of(const Args& args) { return {&args}; }
};
template <class Inner>
struct step_of {
  using type = i64;
};
template <class Args, int Index, class Inner>
struct step_of<folded<Args, Index, Inner>> {
  using type = folded<Args, Index, Inner>;
};

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

// Where a row is along each outer axis. Found once, it tells the row's place in every operand.
template <int Outer>
struct row_place {
  i64 at[Outer];
};

template <class Args>
RS_DEVICE row_place<Args::outer_axes> place_of(const Args& args, i64 row) {
  row_place<Args::outer_axes> p;
  if (Args::outer_axes > 1 && args.rows >> 32 == 0) {  // 32-bit division is several times faster
    u32 rest = static_cast<u32>(row);
    RS_UNROLL
    for (int axis = Args::outer_axes - 1; axis > 0; --axis) {
      const u32 extent = static_cast<u32>(args.extent[axis]);
      const u32 next = rest / extent;
      p.at[axis] = rest - next * extent;
      rest = next;
    }
    p.at[0] = rest;
    return p;
  }
  RS_UNROLL
  for (int axis = Args::outer_axes - 1; axis > 0; --axis) {
    const i64 next = row / args.extent[axis];
    p.at[axis] = row - next * args.extent[axis];
    row = next;
  }
  p.at[0] = row;
  return p;
}

// Elements from the operand's first one to the first of the row.
template <class Args, int Outer>
RS_DEVICE i64 row_offset(const Args& args, int operand, const row_place<Outer>& row) {
  const i64* stride = args.op[operand].stride;
  i64 offset = row.at[0] * stride[0];
  RS_UNROLL
  for (int axis = 1; axis < Outer; ++axis) offset += row.at[axis] * stride[axis];
  return offset;
}
template <class Args>
RS_DEVICE i64 row_offset(const Args& args, int operand, i64 row) {
  return row_offset(args, operand, place_of(args, row));
}

// One row of an input; an expression. `get` asks the row object, which knows what its i-th pack is. Wanted: how long
// its lines are. Picked: the row was found through an index, and may not be there (base null): then it is all zeros.
template <class T, class Inner, int Align, reuse Wanted = reuse::once, bool Picked = false>
struct source {
  using type = T;
  static constexpr bool one_element = same<Inner, broadcast>;  // the same for the whole row
  static constexpr bool picked = Picked;
  const T* base;
  typename step_of<Inner>::type stride;
  bool rows_before = false,
       rows_behind = false;  // what lies around the row is the operand's, further than any pack reaches

  RS_MEMBER bool is_there() const { return !Picked || base != nullptr; }

  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    return unpack(row.words(*this, i));
  }

  // The pack that begins at element start + step, all of it inside the row.
  template <int N, reuse Reuse, class Offset>
  RS_MEMBER stored_pack<T, N> read(Offset start, Offset step) const {
    constexpr reuse kept = Wanted == reuse::again ? reuse::again : Reuse;
    stored_pack<T, N> r;
    if constexpr (Picked) {
      RS_UNROLL
      for (int w = 0; w < r.words; ++w) r.word[w] = 0;
      if (base == nullptr) return r;
    }
    if constexpr (same<Inner, contiguous>) {
      load_pack<Align, kept>(r, base + start + step);
    } else if constexpr (has_runs<Inner>) {
      load_pack<Align, kept>(r, base + stride.offset(start + step));
    } else if constexpr (one_element) {
      const T v = read_element(start);
      RS_UNROLL
      for (int k = 0; k < N; ++k) r.set_element(k, v);
    } else {
      RS_UNROLL
      for (int k = 0; k < N; ++k) r.set_element(k, read_element(start + step + k));
    }
    return r;
  }

  template <class Offset>
  RS_MEMBER T read_element(Offset at) const {
    if constexpr (same<Inner, in_shared>) return base[at];
    stored_pack<T, 1> r;
    if constexpr (Picked) {
      r.word[0] = 0;
      if (base == nullptr) return r.element(0);
    }
    const T* p = base;
    if constexpr (same<Inner, contiguous>) p += at;
    if constexpr (same<Inner, strided>) p += at * stride;
    if constexpr (is_folded<Inner>) p += stride.offset(at);
    load_pack<sizeof(T), reuse::again>(r, p);
    return r.element(0);
  }
};

template <class E>
inline constexpr bool is_source = false;
template <class T, class Inner, int Align, reuse Wanted, bool Picked>
inline constexpr bool is_source<source<T, Inner, Align, Wanted, Picked>> = true;

template <class E>
inline constexpr bool is_contiguous = false;
template <class T, int Align, reuse Wanted, bool Picked>
inline constexpr bool is_contiguous<source<T, contiguous, Align, Wanted, Picked>> = true;

// One row of an output. Wanted: how long its lines are.
template <class T, class Inner, int Align, reuse Wanted = reuse::once>
struct target {
  using type = T;
  T* base;
  typename step_of<Inner>::type stride;

  template <reuse Reuse = reuse::once, int N, class Offset>
  RS_MEMBER void write(Offset start, Offset step, const stored_pack<T, N>& p) const {
    constexpr reuse kept = Wanted == reuse::last ? reuse::last : Reuse;
    if constexpr (same<Inner, contiguous>) {
      store_pack<Align, kept>(base + start + step, p);
    } else if constexpr (has_runs<Inner>) {
      store_pack<Align, kept>(base + stride.offset(start + step), p);
    } else {
      RS_UNROLL
      for (int k = 0; k < N; ++k) write_element(start + step + k, p.element(k));
    }
  }

  template <class Offset>
  RS_MEMBER void write_element(Offset at, T v) const {
    if constexpr (same<Inner, in_shared>) {
      base[at] = v;
    } else {
      stored_pack<T, 1> p;
      p.word[0] = 0;
      p.set_element(0, v);
      T* to = base;
      if constexpr (same<Inner, contiguous>) to += at;
      if constexpr (same<Inner, strided>) to += at * stride;
      if constexpr (is_folded<Inner>) to += stride.offset(at);
      store_pack<sizeof(T), Wanted>(to, p);
    }
  }
};

// The row of a wave, or of a block: every lane has the same, and the machine may hold where it begins in a scalar
// register.
template <class E>
RS_DEVICE E of_whole_wave(E e) {
  return e;
}
template <class T, class Inner, int Align, reuse Wanted, bool Picked>
RS_DEVICE auto of_whole_wave(source<T, Inner, Align, Wanted, Picked> x) {
  x.base = wave_uniform(x.base);
  return x;
}
template <class T, class Inner, int Align, reuse Wanted>
RS_DEVICE auto of_whole_wave(target<T, Inner, Align, Wanted> y) {
  y.base = wave_uniform(y.base);
  return y;
}

inline constexpr int largest_pack = 16;  // elements

// Operand Index of the argument block as an input; `at` takes a row's number or its place. Align: every pack of it
// starts at a multiple of so many bytes.
template <int Index, class T, class Inner, int Align, reuse Wanted = reuse::once>
struct input {
  using type = T;
  static constexpr int index = Index;
  static constexpr flow direction = flow::none;

  template <class Args, class Place>
  static RS_MEMBER auto at(const Args& args, const Place& row) {
    using inner = lie<Inner, Args, Index>;
    const i64 offset = row_offset(args, Index, row);
    // What is read again is no row of many.
    const bool end_to_end = Wanted == reuse::once && Args::outer_axes == 1 && args.op[Index].stride[0] == args.width;
    return source<T, typename inner::type, Align, Wanted>{
        static_cast<const T*>(args.op[Index].data) + offset, inner::of(args), end_to_end && offset >= largest_pack,
        end_to_end && (args.rows - 1) * args.width - offset >= largest_pack};
  }
  // An address that has the row's phase.
  template <class Args, class Source>
  static RS_MEMBER const T* phase_at(const Args&, const Source& row) {
    return row.base;
  }
};

// The same of a table whose rows are picked by operand By, of type Number: row `r` is the table's row by[r]. A number
// that names no row of the table is never made an address: that row is all zeros.
template <int Index, class T, class Inner, int Align, int By, class Number>
struct picked_input {
  using type = T;
  static constexpr int index = Index;
  static constexpr flow direction = flow::none;

  template <class Args, class Place>
  static RS_MEMBER auto at(const Args& args, const Place& row) {
    using inner = lie<Inner, Args, Index>;
    const i64 rows = args.op[By].inner_stride();
    const i64 pick = load_number(static_cast<const Number*>(args.op[By].data) + row_offset(args, By, row));
    const T* table = static_cast<const T*>(args.op[Index].data);
    const bool there = static_cast<u64>(pick) < static_cast<u64>(rows);
    return source<T, typename inner::type, Align, reuse::once, true>{
        there ? table + pick * args.op[Index].stride[Args::outer_axes - 1] : nullptr, inner::of(args)};
  }
  // All rows of a table have one phase, where a plan asks for it: the row need not be there.
  template <class Args, class Source>
  static RS_MEMBER const T* phase_at(const Args& args, const Source&) {
    return static_cast<const T*>(args.op[Index].data);
  }
};

template <int Index, class T, class Inner, int Align, reuse Wanted = reuse::once>
struct output {
  using type = T;
  static constexpr int index = Index;
  static constexpr flow direction = flow::none;

  template <class Args, class Place>
  static RS_MEMBER auto at(const Args& args, const Place& row) {
    using inner = lie<Inner, Args, Index>;
    return target<T, typename inner::type, Align, Wanted>{
        static_cast<T*>(args.op[Index].data) + row_offset(args, Index, row), inner::of(args)};
  }
};

// An output whose rows operand By names: rows of another are added to them.
template <int Index, class T, class Inner, int Align, int By, class Number>
struct picked_output {
  using type = T;
  static constexpr int index = Index;
  static constexpr flow direction = flow::none;

  template <class Args>
  static RS_MEMBER auto at(const Args& args, i64 table_row) {
    using inner = lie<Inner, Args, Index>;
    return target<T, typename inner::type, Align>{
        static_cast<T*>(args.op[Index].data) + table_row * args.op[Index].stride[Args::outer_axes - 1],
        inner::of(args)};
  }
  template <class Args>
  static RS_MEMBER i64 rows(const Args& args) {
    return args.op[By].inner_stride();
  }
  // The number of `row`, whatever it is.
  template <class Args>
  static RS_MEMBER i64 number(const Args& args, i64 row) {
    return load_number(static_cast<const Number*>(args.op[By].data) + row_offset(args, By, row));
  }
};

// An operand without memory: a number made of the row's place.
struct number {
  i64 value;
};
template <int Index>
struct virtual_input {
  static constexpr int index = Index;
  static constexpr flow direction = flow::none;

  template <class Args, class Place>
  static RS_MEMBER number at(const Args& args, const Place& row) {
    return {reinterpret_cast<i64>(args.op[Index].data) + row_offset(args, Index, row)};
  }
};

// Operands of whole rows that lie end to end, for the staged driver.
template <int Index, class T, flow Direction>
struct tile_operand {
  using type = T;
  static constexpr int index = Index;
  static constexpr flow direction = Direction;
};
template <int Index, class T>
using tile_input = tile_operand<Index, T, flow::in>;
template <int Index, class T>
using tile_output = tile_operand<Index, T, flow::out>;

}  // namespace rs
