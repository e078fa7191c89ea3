// totals: the second of two launches. What the teams of the first left in their slabs (see row/column_sums.h) is added
// up, column by column: groups of threads take every Groups-th slab, and meet in shared memory. The order is fixed.
#pragma once

#include "row/operand.h"
#include "row/reductions.h"
#include "row/slabs.h"

namespace rs {

// 32 columns of a block, and the verb of the op text on them. Width 0: a number of the call.
template <int Count, int Threads>
struct column_sums_of_slabs {
  static constexpr int across = 32, groups = Threads / across;
  void* workspace;
  float (*meeting)[across];
  i64 width;
  i64 column;  // this thread's
  int group;

  // Column sum K of all rows.
  template <int K, class T, class Inner, int Align, reuse Wanted>
  RS_MEMBER void store(const target<T, Inner, Align, Wanted>& y) const {
    const int lane = thread_index() % across;
    const i64 slabs = slabs_in(workspace);
    float sum = 0.0f, too_much = 0.0f;
    if (column < width) {
      RS_UNROLL_BY(4)
      for (i64 s = group; s < slabs; s += groups) {
        const float term = sums_in(slab_of(workspace, s, Count, width), K, width)[column] - too_much;
        const float now = sum + term;
        too_much = vabs(now) < infinity ? (now - sum) - term : 0.0f;
        sum = now;
      }
    }
    meeting[group][lane] = sum;
    barrier();
    if (group == 0 && column < width) {
      float all[groups];
      RS_UNROLL
      for (int g = 0; g < groups; ++g) all[g] = meeting[g][lane];
      y.write_element(column, stored<T>(pack<1>{{by_halves<sum_of>(all)}}).element(0));
    }
    barrier();
  }
  template <int K>
  RS_MEMBER void store(none) const {}
};

template <i64 Width, int Count, int Threads>
struct totals {
  using columns_t = column_sums_of_slabs<Count, Threads>;
  static constexpr int rows_per_block = columns_t::across;

  template <class Args, class Op, class... O>
  static RS_MEMBER void run(const Args& args, Op op, O... o) {
    RS_SHARED float meeting[columns_t::groups][columns_t::across];
    const int lane = thread_index() % columns_t::across, group = thread_index() / columns_t::across;
    const i64 width = Width != 0 ? Width : args.width;
    for (i64 first = static_cast<i64>(block_index()) * rows_per_block; first < width;
         first += args.blocks * rows_per_block) {
      op(columns_t{args.workspace, meeting, width, first + lane, group}, o.at(args, 0)...);
    }
  }
};

}  // namespace rs
