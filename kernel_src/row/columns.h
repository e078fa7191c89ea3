// columns: rows that are neighbours in memory, their own elements a stride apart. Neighbouring threads own neighbouring
// rows, so that a wave's access is one piece of memory; Members threads, one of each wave or part of it, share a row. A
// row is held in registers, or passed over twice.
#pragma once

#include "row/register_row.h"
#include "row/streamed_row.h"

namespace rs {

template <i64 Width, int Span, int Members, bool Held>
struct columns {
  static constexpr int rows_per_block = Span;

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using share_t = share<Width, 1, Members, false>;
    using team_t = column_team<Span, Members>;
    RS_SHARED float slots[team_t::shared_floats];
    team_t team{slots};
    const share_t mine{thread_index() / Span, 0};
    for (i64 group = static_cast<i64>(block_index()) * Span; group < args.rows; group += args.blocks * Span) {
      // Behind the last row the last row is computed again and not written: all threads take part in every reduction.
      const i64 wanted = group + thread_index() % Span;
      const bool writes = wanted < args.rows;
      const i64 row = writes ? wanted : args.rows - 1;
      if constexpr (Held) {
        op(register_row<share_t, team_t, keep::values, false>{mine, &team, writes}, x.at(args, row),
           rest.at(args, row)...);
      } else {
        op(streamed_row<share_t, team_t, 0, reuse::again, ask::any>{mine, &team, writes}, x.at(args, row),
           rest.at(args, row)...);
      }
    }
  }
};

}  // namespace rs
