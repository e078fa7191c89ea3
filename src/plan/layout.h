// layout: what the planners of all vendors ask of a class of shapes.
#pragma once

#include <cstdint>
#include <span>

#include "model/facts.h"
#include "model/plan.h"

namespace rowsmith {

constexpr int widest_access = 16;  // bytes, on every GPU

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

// The least power of two that is no less than `v`, and than 1.
int power_of_two_from(std::int64_t v) noexcept;

inline std::span<const operand_facts> operands_of(const shape_class& c) noexcept {
  return {c.operands, c.operand_count};
}

// Is the operand of the shape that the op runs over? Of a batch-invariant class the op alone tells: whether a mask or a
// bias repeats is a matter of strides, and of how many rows there are.
bool is_of_full_shape(const shape_class& c, const operand_facts& o) noexcept;

// Size of the narrowest and of the widest element among the full operands.
int narrowest_element(const shape_class& c) noexcept;
int widest_element(const shape_class& c) noexcept;

// Do the rows of every full operand lie in one piece?
bool all_contiguous(const shape_class& c) noexcept;

// Elements of the largest pack, at most `widest`, that divides the width (and, but for batch-invariant classes, the
// runs of rows whose axes do not merge).
int pack_that_divides(const shape_class& c, int widest) noexcept;

// Bytes that the packs of operand `k` are aligned to, when packs of `pack` elements start at the row's own start.
int access_bytes(const shape_class& c, int k, int pack) noexcept;

// Does the class sum over rows (see op_row::column_sums)?
bool sums_over_rows(const shape_class& c) noexcept;

// The workspace that such sums take: a head, and in every block of the first launch a slab for each of `teams`.
void need_slabs(const shape_class& c, int teams, plan* p) noexcept;

// The width as kernels have it: 0 where it is a number of the call.
std::string width_text(const shape_class& c);

// The launch that adds them up, over columns.
launch_plan total_launch(const shape_class& c, mechanism how);

// fp32 values of a row element that the op keeps alive at once, with what masks and expressions add.
int held_values(const shape_class& c) noexcept;

// Is one tensor all that a row is made of?
bool reads_one_tensor(const shape_class& c) noexcept;

// Starts a launch: entry, header, algorithm and argument block of the class's op.
launch_plan start_launch(const shape_class& c, mechanism how);

}  // namespace rowsmith
