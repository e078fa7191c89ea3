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
template <int Operands, int Outer>
RS_DEVICE i64 row_offset(const row_args<Operands, Outer>& args, int operand, i64 row) {
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

// One row of an input; an expression. `get` asks the row object, which knows what its i-th pack is.
template <class T, class Inner, int Align>
struct source {
  using type = T;
  const T* base;
  i64 stride;

  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    return unpack(row.words(*this, i));
  }

  // The pack that begins at element start + step, all of it inside the row.
  template <int N, reuse Reuse, class Offset>
  RS_MEMBER stored_pack<T, N> read(Offset start, Offset step) const {
    stored_pack<T, N> r;
    if constexpr (same<Inner, contiguous>) {
      load_pack<Align, Reuse>(r, base + start + step);
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
      store_pack<sizeof(T)>(base + (same<Inner, strided> ? at * stride : at), p);
    }
  }
};

// Operand Index of the argument block as an input. Align: every pack of it starts at a multiple of so many bytes.
template <int Index, class T, class Inner, int Align>
struct input {
  using type = T;
  static constexpr int index = Index;

  template <class Args>
  static RS_MEMBER source<T, Inner, Align> at(const Args& args, i64 row) {
    return {static_cast<const T*>(args.op[Index].data) + row_offset(args, Index, row), args.op[Index].inner_stride};
  }
};

template <int Index, class T, class Inner, int Align>
struct output {
  using type = T;
  static constexpr int index = Index;

  template <class Args>
  static RS_MEMBER target<T, Inner, Align> at(const Args& args, i64 row) {
    return {static_cast<T*>(args.op[Index].data) + row_offset(args, Index, row), args.op[Index].inner_stride};
  }
};

}  // namespace rs
