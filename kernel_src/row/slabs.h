// How sums over rows lie in the workspace: see row/column_sums.h.
#pragma once

namespace rs {

template <class... O>
struct operand_list {};

// How many sums an op keeps for every column, given its operands; 0 unless it says so.
template <class Op, class Operands, class = void>
inline constexpr int column_sums_of = 0;
template <class Op, class... O>
inline constexpr int column_sums_of<Op, operand_list<O...>, decltype(void(Op::template column_sums<O...>))> =
    Op::template column_sums<O...>;

RS_DEVICE i64 slabs_in(const void* workspace) { return *static_cast<const i64*>(workspace); }

RS_DEVICE float* slab_of(void* workspace, i64 slab, int count, i64 width) {
  return static_cast<float*>(workspace) + 4 + slab * (2 * count * width);
}
RS_DEVICE float* sums_in(float* slab, int k, i64 width) { return slab + 2 * k * width; }
RS_DEVICE float* lost_in(float* slab, int k, i64 width) { return slab + (2 * k + 1) * width; }

}  // namespace rs
