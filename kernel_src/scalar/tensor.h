// One row of an operand whose dtype and strides are known only at run time.
#pragma once

#include "row/arguments.h"

namespace rs {

// The frozen values of rowsmith::dtype.
constexpr i64 type_f32 = 1, type_f16 = 2, type_bf16 = 3;

struct scalar_row {
  void* data;
  i64 type;
  i64 offset;  // elements from data to the row's first one
  i64 stride;

  template <int Operands, int Outer>
  static RS_MEMBER scalar_row at(const row_args<Operands, Outer>& args, int operand, i64 row) {
    const auto& o = args.op[operand];
    i64 offset = 0;
    for (int axis = Outer - 1; axis >= 0; --axis) {
      const i64 next = row / args.extent[axis];
      offset += (row - next * args.extent[axis]) * o.stride[axis];
      row = next;
    }
    return {o.data, o.type, offset, o.inner_stride};
  }

  RS_MEMBER float get(i64 i) const {
    const i64 at = offset + i * stride;
    if (type == type_f16) return to_float(static_cast<const f16*>(data)[at]);
    if (type == type_bf16) return to_float(static_cast<const bf16*>(data)[at]);
    return static_cast<const f32*>(data)[at];
  }

  RS_MEMBER void set(i64 i, float v) const {
    const i64 at = offset + i * stride;
    if (type == type_f16)
      static_cast<f16*>(data)[at] = storage<f16>::of(v);
    else if (type == type_bf16)
      static_cast<bf16*>(data)[at] = storage<bf16>::of(v);
    else
      static_cast<f32*>(data)[at] = v;
  }
};

}  // namespace rs
