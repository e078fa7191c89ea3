// lanes: a few lanes of a wave own a row in registers; Threads / Lanes rows a block.
#pragma once

#include "row/column_sums.h"
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
    const i64 step = args.blocks * rows_per_block;
    lane_team<Lanes> team;
    constexpr int count = column_sums_of<Op, operand_list<X, Rest...>>;
    const row_t none_yet{share_t{lane, 0}, &team, true};
    auto sums = sums_of_team<count, sums_fit_registers<row_t, count>>(
        args, none_yet, static_cast<i64>(block_index()) * rows_per_block + thread_index() / Lanes, step);
    if constexpr (Lanes == wave_size) {
      const int member = wave_uniform(thread_index() / Lanes);
      for (i64 row = static_cast<i64>(block_index()) * rows_per_block + member; row < args.rows;
           row = wave_uniform(row + step)) {
        const auto place = place_of(args, row);
        const auto first = of_whole_wave(x.at(args, place));
        run_row(op, row_t{share_of<share_t>(of_this_turn(lane), X::phase_at(args, first)), &team, true}, sums, first,
                of_whole_wave(rest.at(args, place))...);
      }
    } else {
      const int member = thread_index() / Lanes;
      for (i64 group = static_cast<i64>(block_index()) * rows_per_block; group < args.rows; group += step) {
        // Behind the last row the last row is computed again and not written: every lane takes part in every reduction.
        const bool mine = group + member < args.rows;
        const i64 row = mine ? group + member : args.rows - 1;
        const auto place = place_of(args, row);
        const auto first = x.at(args, place);
        run_row(op, row_t{share_of<share_t>(lane, X::phase_at(args, first)), &team, mine}, sums, first,
                rest.at(args, place)...);
      }
    }
    sums.finish(none_yet);
  }
};

}  // namespace rs
