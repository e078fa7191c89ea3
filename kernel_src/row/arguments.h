// The one argument block of every kernel. The host packs the same words in src/model/arguments.cpp.
#pragma once

namespace rs {

template <int Operands, int Outer, int Inner = 1>
struct row_args {
  static constexpr int outer_axes = Outer;
  static constexpr int inner_axes = Inner;

  struct operand {
    void* data;
    i64 type;                   // of rowsmith::dtype, and more that the scalar fallback reads (scalar/tensor.h)
    i64 stride[Outer + Inner];  // elements along each outer axis, slowest first, then along a row's own

    RS_MEMBER i64 inner_stride() const { return stride[Outer + Inner - 1]; }
  };
  i64 items;  // that this launch divides among its blocks: rows, as a rule
  i64 rows;
  i64 width;
  i64 blocks;  // of this launch: the grid, known without asking the machine
  u64 options;
  void* workspace;
  float param[8];  // an expression's four, then the op's own
  i64 extent[Outer + Inner];
  operand op[Operands];
};

// The same for a kernel that runs an expression word by word.
struct word_list {
  i64 count;
  u64 words[64];
};
template <int Operands, int Outer, int Inner = 1>
struct word_args : row_args<Operands, Outer, Inner> {
  word_list expression;
};

// Run-time scalars: the op's own, or an expression's param(0) to param(3).
struct scalars {
  float value[4];
};

template <class Args>
RS_DEVICE scalars scalars_of(const Args& args) {
  return {{args.param[4], args.param[5], args.param[6], args.param[7]}};
}

template <class Args>
RS_DEVICE scalars parameters_of(const Args& args) {
  return {{args.param[0], args.param[1], args.param[2], args.param[3]}};
}

// Elements that are moved and never looked into.
template <int Bytes>
struct raw;
template <>
struct raw<1> {
  u8 bits;
};
template <>
struct raw<2> {
  u16 bits;
};
template <>
struct raw<4> {
  u32 bits;
};
template <>
struct raw<8> {
  u64 bits;
};

// Does an operand travel through shared memory, tile by tile, and which way?
enum class flow { none, in, out };

// An operand that this kernel does not have.
struct none {
  static constexpr flow direction = flow::none;

  template <class... At>
  static RS_MEMBER none at(const At&...) {
    return {};
  }
};

template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;

template <class T>
struct without_const {
  using type = T;
};
template <class T>
struct without_const<const T> {
  using type = T;
};
// An operand's element type.
template <class T>
using plain_type = typename without_const<T>::type;

template <class A>
inline constexpr bool is_present = true;
template <>
inline constexpr bool is_present<none> = false;

// A row of an input that an index picks, and that need not be there: see is_there().
template <class X, class = void>
inline constexpr bool may_be_missing = false;
template <class X>
inline constexpr bool may_be_missing<X, decltype(void(X::picked))> = X::picked;

}  // namespace rs
