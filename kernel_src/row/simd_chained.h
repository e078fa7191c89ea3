// simd_chained: rows of dy are added to the rows of dx that an index names, in the order of dy. A thread owns rows
// [begin, end) of dx: it threads the rows of dy that belong there on lists, last to first, so that each list is in
// order, and adds them up. The workspace holds the first of every list (-1: none), then who comes after each row of dy.
#pragma once

#include "row/simd.h"

namespace rs {

// The rows of one list, added up element by element.
template <class Args, class Op, class X>
struct listed_rows {
  const Args& args;
  Op op;
  i64 head;
  const i64* after;

  template <class Row>
  RS_MEMBER pack get(const Row& row, int o) const {
    pack sum{}, lost{};
    for (i64 r = head; r >= 0; r = after[r]) {
      op.add(sum, lost, X::at(args, row_position<Args::outer_axes>(args, r)).get(row, o));
    }
    return sum;
  }
};

// Width 0: a number of the call.
template <int Width>
struct simd_chained {
  template <class Args, class Op, class X, class Y>
  static RS_MEMBER void run(const Args& args, i64 begin, i64 end, Op op, X, Y) {
    i64* first = static_cast<i64*>(args.workspace);
    i64* after = first + args.items;
    for (i64 n = begin; n < end; ++n) first[n] = -1;
    for (i64 r = args.rows; r-- > 0;) {
      const i64 n = Y::number(args, row_position<Args::outer_axes>(args, r));
      if (n < begin || n >= end) continue;
      after[r] = first[n];
      first[n] = r;
    }
    const auto geometry = [&] {
      if constexpr (Width == 0) {
        return any_width<true>::of(args.width);
      } else {
        return fixed_width<Width>{};
      }
    }();
    const simd_row<plain_type<decltype(geometry)>, keep::storage, false, 0> row{geometry, nullptr, nullptr, false};
    for (i64 n = begin; n < end; ++n) {
      const auto to = Y::at(args, n);
      const i64 head = first[n];
      if (head >= 0 && after[head] < 0) {
        row.store(to, X::at(args, row_position<Args::outer_axes>(args, head)));
      } else {
        row.store(to, listed_rows<Args, Op, X>{args, op, head, after});
      }
    }
  }
};

}  // namespace rs
