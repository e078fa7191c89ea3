// simd_totals: the second of two launches on the host. What the chunks of the first left in their slabs (see
// row/column_sums.h, whose layout this is) is added up, column by column, in the order of the slabs.
#pragma once

#include "row/simd.h"

namespace rs {

template <int Count>
struct column_sums_of_slabs {
  void* workspace;
  i64 width;
  i64 slabs, begin, end;

  RS_MEMBER const float* sums_of(int k, i64 slab) const {
    return sums_in(slab_of(workspace, slab, Count, width), k, width);
  }

  // Column sum K of all rows.
  template <int K, class Y>
  RS_MEMBER void store(Y y) const {
    for (i64 o = begin; o < end; o += pack_size) {
      const int there = static_cast<int>(end - o < pack_size ? end - o : pack_size);
      pack sum{}, too_much{};
      for (i64 s = 0; s < slabs; ++s) {
        const float* from = sums_of(K, s) + o;
        const pack term = (there == pack_size ? load(from) : load_part(from, 0, there)) - too_much;
        const pack now = sum + term;
        too_much = select(vabs(now) < infinity, (now - sum) - term, pack{});
        sum = now;
      }
      y.put_part(static_cast<int>(o), sum, 0, there);
    }
  }
  template <int K>
  RS_MEMBER void store(none) const {}
};

// Width 0: a number of the call.
template <i64 Width, int Count>
struct simd_totals {
  template <class Args, class Op, class... O>
  static RS_MEMBER void run(const Args& args, i64 begin, i64 end, Op op, O... o) {
    const i64 slabs = args.rows == 0 ? 0 : slabs_in(args.workspace);
    const row_position<Args::outer_axes> first(args, 0);
    op(column_sums_of_slabs<Count>{args.workspace, Width != 0 ? Width : args.width, slabs, begin, end},
       o.at(args, first)...);
  }
};

}  // namespace rs
