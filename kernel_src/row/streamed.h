// streamed: a block passes twice over a row that its registers cannot hold. Kept packs a thread stay in registers
// between the passes (measured to pay where that is half the row and the rows are windowed: 50257 halves, 512 threads,
// 6 packs).
#pragma once

#include "row/column_sums.h"
#include "row/streamed_row.h"

namespace rs {

template <i64 Width, int Pack, int Threads, bool Window, int Kept = 0>
struct streamed {
  static constexpr int rows_per_block = 1;

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using share_t = share<Width, Pack, Threads, Window>;
    using team_t = block_team<Threads>;
    using row_t = streamed_row<share_t, team_t, Kept, reuse::again, ask::any>;
    RS_SHARED float slots[team_t::shared_floats];
    team_t team{slots};
    constexpr int count = column_sums_of<Op, operand_list<X, Rest...>>;
    auto sums = sums_of_team<count, false>(args, row_t{share_t{thread_index(), 0}, &team}, block_index(), args.blocks);
    for (i64 row = block_index(); row < args.rows; row = wave_uniform(row + args.blocks)) {
      const auto first = of_whole_wave(x.at(args, row));
      run_row(op, row_t{share_of<share_t>(of_this_turn(thread_index()), X::phase_at(args, first)), &team}, sums, first,
              of_whole_wave(rest.at(args, row))...);
    }
  }
};

}  // namespace rs
