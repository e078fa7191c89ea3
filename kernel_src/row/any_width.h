// any_width: rows whose width is a number of the call. Lanes of a wave, a block, or the threads of neighbouring rows
// (see lanes.h, block.h, columns.h) pass over a row twice, so that nothing has to be sized for it.
#pragma once

#include "row/column_sums.h"
#include "row/streamed_row.h"

namespace rs {

template <class Share, class Team>
using any_row = streamed_row<Share, Team, 0, reuse::again, ask::any>;

template <int Pack, int Lanes, int Threads, bool Window>
struct any_lanes {
  static_assert(Lanes <= wave_size && Threads % Lanes == 0, "a row stays inside a wave");
  static constexpr int rows_per_block = Threads / Lanes;

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using share_t = any_share<Pack, Lanes, Window>;
    using row_t = any_row<share_t, lane_team<Lanes>>;
    const int lane = thread_index() % Lanes, member = thread_index() / Lanes;
    const i64 step = args.blocks * rows_per_block;
    lane_team<Lanes> team;
    constexpr int count = column_sums_of<Op, operand_list<X, Rest...>>;
    auto sums = sums_of_team<count, false>(args, row_t{share_t::of(lane, 0, args.width), &team},
                                           static_cast<i64>(block_index()) * rows_per_block + member, step);
    for (i64 group = static_cast<i64>(block_index()) * rows_per_block; group < args.rows; group += step) {
      // Behind the last row the last row is computed again and not written: every lane takes part in every reduction.
      const bool mine = group + member < args.rows;
      const i64 row = mine ? group + member : args.rows - 1;
      const auto first = x.at(args, row);
      const int phase = phase_of<share_t>(X::phase_at(args, first));
      run_row(op, row_t{share_t::of(lane, phase, args.width), &team, mine}, sums, first, rest.at(args, row)...);
    }
  }
};

template <int Pack, int Threads, bool Window>
struct any_block {
  static constexpr int rows_per_block = 1;

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using share_t = any_share<Pack, Threads, Window>;
    using team_t = block_team<Threads>;
    using row_t = any_row<share_t, team_t>;
    RS_SHARED float slots[team_t::shared_floats];
    team_t team{slots};
    constexpr int count = column_sums_of<Op, operand_list<X, Rest...>>;
    auto sums = sums_of_team<count, false>(args, row_t{share_t::of(thread_index(), 0, args.width), &team},
                                           block_index(), args.blocks);
    for (i64 row = block_index(); row < args.rows; row += args.blocks) {
      const auto first = x.at(args, row);
      const int phase = phase_of<share_t>(X::phase_at(args, first));
      run_row(op, row_t{share_t::of(thread_index(), phase, args.width), &team}, sums, first, rest.at(args, row)...);
    }
  }
};

template <int Span, int Members>
struct any_columns {
  static constexpr int rows_per_block = Span;

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using share_t = any_share<1, Members, false>;
    using team_t = column_team<Span, Members>;
    RS_SHARED float slots[team_t::shared_floats];
    team_t team{slots};
    const share_t mine = share_t::of(thread_index() / Span, 0, args.width);
    for (i64 group = static_cast<i64>(block_index()) * Span; group < args.rows; group += args.blocks * Span) {
      const i64 wanted = group + thread_index() % Span;
      const bool writes = wanted < args.rows;
      const i64 row = writes ? wanted : args.rows - 1;
      op(any_row<share_t, team_t>{mine, &team, writes}, x.at(args, row), rest.at(args, row)...);
    }
  }
};

}  // namespace rs
