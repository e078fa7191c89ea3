// block: the threads of a block own a row in registers. With keep::storage the row is folded wave by wave, one barrier
// a row; with keep::values every reduction is one.
#pragma once

#include "row/column_sums.h"
#include "row/register_row.h"

namespace rs {

template <int Width, int Pack, int Threads, bool Window, keep Keep>
struct block {
  static constexpr int rows_per_block = 1;

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using share_t = share<Width, Pack, Threads, Window>;
    using team_t = block_team<Threads>;
    using row_t = register_row<share_t, team_t, Keep, Keep == keep::storage>;
    RS_SHARED float slots[team_t::shared_floats];
    team_t team{slots};
    constexpr int count = column_sums_of<Op, operand_list<X, Rest...>>;
    const row_t none_yet{share_t{thread_index(), 0}, &team, true};
    auto sums = sums_of_team<count, sums_fit_registers<row_t, count>>(args, none_yet, block_index(), args.blocks);
    for (i64 row = block_index(); row < args.rows; row = wave_uniform(row + args.blocks)) {
      const auto place = place_of(args, row);
      const auto first = of_whole_wave(x.at(args, place));
      run_row(op, row_t{share_of<share_t>(of_this_turn(thread_index()), X::phase_at(args, first)), &team, true}, sums,
              first, of_whole_wave(rest.at(args, place))...);
    }
    sums.finish(none_yet);
  }
};

}  // namespace rs
