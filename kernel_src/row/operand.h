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

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

// Elements from the operand's first one to the first of `row`: the row number is taken apart over the outer axes.
template <class Args>
RS_DEVICE i64 row_offset(const Args& args, int operand, i64 row) {
  constexpr int Outer = Args::outer_axes;
  const i64* stride = args.op[operand].stride;
  if constexpr (Outer == 1) return row * stride[0];
  i64 offset = 0;
  if (args.rows >> 32 == 0) {  // 32-bit division is several times faster
    u32 rest = static_cast<u32>(row);
    RS_UNROLL
    for (int axis = Outer - 1; axis > 0; --axis) {
      const u32 extent = static_cast<u32>(args.extent[axis]);
      const u32 next = rest / extent;
      offset += static_cast<i64>(rest - next * extent) * stride[axis];
      rest = next;
    }
    return offset + static_cast<i64>(rest) * stride[0];
  }
  RS_UNROLL
  for (int axis = Outer - 1; axis > 0; --axis) {
    const i64 next = row / args.extent[axis];
    offset += (row - next * args.extent[axis]) * stride[axis];
    row = next;
  }
  return offset + row * stride[0];
}

// One row of an input; an expression. `get` asks the row object, which knows what its i-th pack is. Wanted: how long
// its lines are. Picked: the row was found through an index, and may not be there (base null): then it is all zeros.
template <class T, class Inner, int Align, reuse Wanted = reuse::once, bool Picked = false>
struct source {
  using type = T;
  static constexpr bool one_element = same<Inner, broadcast>;  // the same for the whole row
  static constexpr bool picked = Picked;
  const T* base;
  i64 stride;

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
    load_pack<sizeof(T), reuse::again>(r, p);
    return r.element(0);
  }
};

// One row of an output.
template <class T, class Inner, int Align>
struct target {
  using type = T;
  T* base;
  i64 stride;

  template <int N, class Offset>
  RS_MEMBER void write(Offset start, Offset step, const stored_pack<T, N>& p) const {
    if constexpr (same<Inner, contiguous>) {
      store_pack<Align>(base + start + step, p);
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
      store_pack<sizeof(T)>(to, p);
    }
  }
};

// Operand Index of the argument block as an input. Align: every pack of it starts at a multiple of so many bytes.
template <int Index, class T, class Inner, int Align, reuse Wanted = reuse::once>
struct input {
  using type = T;
  static constexpr int index = Index;
  static constexpr flow direction = flow::none;

  template <class Args>
  static RS_MEMBER source<T, Inner, Align, Wanted> at(const Args& args, i64 row) {
    return {static_cast<const T*>(args.op[Index].data) + row_offset(args, Index, row), args.op[Index].inner_stride()};
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

  template <class Args>
  static RS_MEMBER source<T, Inner, Align, reuse::once, true> at(const Args& args, i64 row) {
    const i64 rows = args.op[By].inner_stride();
    const i64 pick = load_number(static_cast<const Number*>(args.op[By].data) + row_offset(args, By, row));
    const T* table = static_cast<const T*>(args.op[Index].data);
    const bool there = static_cast<u64>(pick) < static_cast<u64>(rows);
    return {there ? table + pick * args.op[Index].stride[Args::outer_axes - 1] : nullptr, args.op[Index].inner_stride()};
  }
  // All rows of a table have one phase, where a plan asks for it: the row need not be there.
  template <class Args, class Source>
  static RS_MEMBER const T* phase_at(const Args& args, const Source&) {
    return static_cast<const T*>(args.op[Index].data);
  }
};

template <int Index, class T, class Inner, int Align>
struct output {
  using type = T;
  static constexpr int index = Index;
  static constexpr flow direction = flow::none;

  template <class Args>
  static RS_MEMBER target<T, Inner, Align> at(const Args& args, i64 row) {
    return {static_cast<T*>(args.op[Index].data) + row_offset(args, Index, row), args.op[Index].inner_stride()};
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

  template <class Args>
  static RS_MEMBER number at(const Args& args, i64 row) {
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
