// The fallback of copy: one element. Elements of one type are moved as they are.
#pragma once

#include "scalar/tensor.h"

namespace rs {

template <class T, class Row>
RS_DEVICE void scalar_move(const Row& x, const Row& y, i64 i) {
  static_cast<T*>(y.data)[y.place(i)] = static_cast<const T*>(x.data)[x.place(i)];
}

template <class Args>
RS_DEVICE void scalar_copy(const Args& args, i64 element) {
  const i64 row = element / args.width, column = element - row * args.width;
  const auto x = scalar_row<Args>::at(args, 0, row), y = scalar_row<Args>::at(args, 1, row);
  if (x.type != y.type) {
    y.set(column, x.get(column));
  } else if (x.type == type_b8) {
    scalar_move<u8>(x, y, column);
  } else if (x.type == type_f16 || x.type == type_bf16) {
    scalar_move<u16>(x, y, column);
  } else if (x.type == type_i64) {
    scalar_move<u64>(x, y, column);
  } else {
    scalar_move<u32>(x, y, column);
  }
}

}  // namespace rs
