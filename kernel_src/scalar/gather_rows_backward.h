// The fallback of gather_rows_backward: row n of dx is the sum of those rows of dy whose index is n, in their order.
// Operands in the op table's order: dy, dx, index.
#pragma once

#include "scalar/compensated.h"
#include "scalar/tensor.h"

namespace rs {

template <class Args>
RS_DEVICE scalar_row<Args> scalar_table_row(const Args& args, int operand, i64 n) {
  const auto& o = args.op[operand];
  return {&args, operand, o.data, o.type & 255, n * o.stride[Args::outer_axes - 1]};
}

// One row of dx: every index is looked at.
template <class Args, class Team>
RS_DEVICE void scalar_gather_rows_backward(const Args& args, i64 n, int member, int members, Team&) {
  using row_t = scalar_row<Args>;
  const row_t dx = scalar_table_row(args, 1, n);
  for (i64 i = member; i < args.width; i += members) {
    compensated_sum sum;
    for (i64 r = 0; r < args.rows; ++r) {
      if (row_t::whole_of(args, 2, r) == n) sum.add(row_t::at(args, 0, r).get(i));
    }
    dx.set(i, sum.total);
  }
}

// Rows [begin, end) of dx by one thread: the rows of dy are threaded on a list for each of them, first to last. The
// lists are in the workspace: the first of each row of dx, then who comes after a row of dy; -1 ends a list.
template <class Args>
RS_DEVICE void scalar_gather_rows_backward_chunk(const Args& args, i64 begin, i64 end) {
  using row_t = scalar_row<Args>;
  i64* first = static_cast<i64*>(args.workspace);
  i64* after = first + args.op[2].inner_stride();
  for (i64 n = begin; n < end; ++n) first[n] = -1;
  for (i64 r = args.rows; r-- > 0;) {
    const i64 n = row_t::whole_of(args, 2, r);
    if (n < begin || n >= end) continue;
    after[r] = first[n];
    first[n] = r;
  }
  for (i64 n = begin; n < end; ++n) {
    const row_t dx = scalar_table_row(args, 1, n);
    for (i64 i = 0; i < args.width; ++i) {
      compensated_sum sum;
      for (i64 r = first[n]; r >= 0; r = after[r]) sum.add(row_t::at(args, 0, r).get(i));
      dx.set(i, sum.total);
    }
  }
}

}  // namespace rs
