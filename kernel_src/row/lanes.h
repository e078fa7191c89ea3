// lanes: a few lanes of a wave own a row in registers; Threads / Lanes rows a block.
#pragma once

#include "row/register_row.h"

namespace rs {

template <int Width, int Pack, int Lanes, int Threads, bool Window, keep Keep>
struct lanes {
  static_assert(Lanes <= wave_size && Threads % Lanes == 0, "a row stays inside a wave");
  static constexpr int rows_per_block = Threads / Lanes;

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using share_t = share<Width, Pack, Lanes, Window>;
    using row_t = register_row<share_t, lane_team<Lanes>, Keep, false>;
    const int lane = thread_index() % Lanes;
    int member = thread_index() / Lanes;
    if constexpr (Lanes == wave_size) member = wave_uniform(member);
    lane_team<Lanes> team;
    for (i64 group = block_index(); group * rows_per_block < args.rows; group += args.blocks) {
      // Behind the last row the last row is computed again and not written: every lane takes part in every reduction.
      const i64 wanted = group * rows_per_block + member;
      const bool mine = wanted < args.rows;
      const i64 row = mine ? wanted : args.rows - 1;
      const auto first = x.at(args, row);
      op(row_t{share_t{lane, Window ? phase_of<Pack>(first.base) : 0}, &team, mine}, first, rest.at(args, row)...);
    }
  }
};

}  // namespace rs
