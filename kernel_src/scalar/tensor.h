// One row of an operand whose dtype and strides are known only at run time.
#pragma once

#include "row/arguments.h"

namespace rs {

// The frozen values of rowsmith::dtype.
constexpr i64 type_f32 = 1, type_f16 = 2, type_bf16 = 3, type_b8 = 5, type_i32 = 6, type_i64 = 7;

// `number` taken apart over the axes [begin, end), the last one fastest: elements from the operand's first one.
template <class Args>
RS_DEVICE i64 scalar_offset(const Args& args, int operand, i64 number, int begin, int end) {
  const i64* stride = args.op[operand].stride;
  i64 offset = 0;
  RS_UNROLL_BY(1)  // seven 64-bit divisions in a row would cost every register there is
  for (int axis = end - 1; axis >= begin; --axis) {
    if (args.extent[axis] <= 1) continue;  // most are 1: there is room for more axes than a call has; 0: no elements
    const i64 next = number / args.extent[axis];
    offset += (number - next * args.extent[axis]) * stride[axis];
    number = next;
  }
  return offset;
}

template <class Args>
struct scalar_row {
  const Args* args;
  int operand;
  void* data;  // null: the operand is not there, or names a row that is not: it reads as zeros
  i64 type;
  i64 base;  // elements from data to the row's first one

  // The operand's type: bits 0-7 the dtype in memory; 8-15 one more than the operand that picks its rows; of an fp32
  // tensor that stands in for an operand, 16-23 that one's own dtype, and bit 24: a picked row lies at its own place.
  static RS_MEMBER scalar_row at(const Args& args, int operand, i64 row) {
    const auto& o = args.op[operand];
    const i64 type = o.type & 255, picked_by = (o.type >> 8 & 255) - 1;
    const bool in_place = (o.type >> 24 & 1) != 0;
    bool there = true;
    i64 pick = 0;
    if (picked_by >= 0) {
      pick = whole_of(args, static_cast<int>(picked_by), row);
      there = static_cast<u64>(pick) < static_cast<u64>(args.op[picked_by].inner_stride());
      if (!there) pick = 0;  // any number may stand there
    }
    const i64 base = picked_by < 0 || in_place ? scalar_offset(args, operand, row, 0, Args::outer_axes)
                                               : pick * o.stride[Args::outer_axes - 1];
    return {&args, operand, there ? o.data : nullptr, type, base};
  }

  RS_MEMBER bool is_there() const { return data != nullptr; }

  // The operand's dtype, whatever stands in for it.
  RS_MEMBER i64 own_type() const {
    const i64 own = args->op[operand].type >> 16 & 255;
    return own != 0 ? own : type;
  }

  RS_MEMBER i64 place(i64 i) const {
    const auto& o = args->op[operand];
    if (Args::inner_axes == 1 || args->extent[Args::outer_axes + Args::inner_axes - 1] == args->width) {
      return base + i * o.inner_stride();
    }
    return base + scalar_offset(*args, operand, i, Args::outer_axes, Args::outer_axes + Args::inner_axes);
  }

  // The only element that a row of an index has.
  static RS_MEMBER i64 whole_of(const Args& args, int operand, i64 row) {
    const auto& o = args.op[operand];
    const i64 at = scalar_offset(args, operand, row, 0, Args::outer_axes);
    return (o.type & 255) == type_i64 ? static_cast<const i64*>(o.data)[at] : static_cast<const i32*>(o.data)[at];
  }

  RS_MEMBER float get(i64 i) const {
    if (data == nullptr) return 0.0f;
    const i64 at = place(i);
    if (type == type_f16) return to_float(static_cast<const f16*>(data)[at]);
    if (type == type_bf16) return to_float(static_cast<const bf16*>(data)[at]);
    if (type == type_b8) return static_cast<const u8*>(data)[at] != 0 ? 1.0f : 0.0f;
    return static_cast<const f32*>(data)[at];
  }

  RS_MEMBER void set(i64 i, float v) const { write(place(i), v); }
  // Element i of another row, bit for bit where the types agree.
  RS_MEMBER void move(i64 i, const scalar_row& from) const {
    if (type != from.type || !from.is_there()) return set(i, from.get(i));
    const i64 to_at = place(i), from_at = from.place(i);
    if (type == type_f32)
      static_cast<u32*>(data)[to_at] = static_cast<const u32*>(from.data)[from_at];
    else
      static_cast<u16*>(data)[to_at] = static_cast<const u16*>(from.data)[from_at];
  }
  // Of an operand with one element a row.
  RS_MEMBER void set_one(float v) const { write(base, v); }

 private:
  RS_MEMBER void write(i64 at, float v) const {
    if (type == type_f16)
      static_cast<f16*>(data)[at] = storage<f16>::of(v);
    else if (type == type_bf16)
      static_cast<bf16*>(data)[at] = storage<bf16>::of(v);
    else
      static_cast<f32*>(data)[at] = v;
  }
};

}  // namespace rs
