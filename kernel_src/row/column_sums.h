// Sums over all rows, one for each column: what a backward owes to weights. A team adds its rows up in registers, and
// every few rows to its own slab of the workspace; a second launch (row/totals.h) adds the slabs up. No atomics: which
// rows meet in which order is a matter of the grid alone.
//
// The workspace: the number of slabs, then, 16 bytes in, the slabs; a slab is, for each of an op's sums, Width sums and
// Width compensations.
#pragma once

#include "row/compensated.h"
#include "row/register_row.h"
#include "row/slabs.h"

namespace rs {

struct no_sums {
  template <class Row>
  RS_MEMBER void next(const Row&) {}
  template <class Row>
  RS_MEMBER void finish(const Row&) {}
};

// In registers; a chain of additions is kept short. REQUIRES: no window, so that a thread has the same columns in every
// row.
template <class Row, int Count>
struct register_sums {
  static constexpr int chain = 32;
  float* slab;
  held_values<Row::packs, Row::pack_size> part[Count];
  int rows;

  RS_MEMBER void clear() {
    rows = 0;
    RS_UNROLL
    for (int k = 0; k < Count; ++k) {
      RS_UNROLL
      for (int i = 0; i < Row::packs; ++i) part[k].part[i] = pack<Row::pack_size>{};
    }
  }

  template <int K, class E>
  RS_MEMBER void add(const Row& row, const E& e) {
    RS_UNROLL
    for (int i = 0; i < Row::packs; ++i) {
      const pack<Row::pack_size> p = e.get(row, i);
      RS_UNROLL
      for (int k = 0; k < Row::pack_size; ++k) part[K].part[i].v[k] += row.writes ? p.v[k] : 0.0f;
    }
  }

  RS_MEMBER void next(const Row& row) {
    if (++rows == chain) finish(row);
  }
  RS_MEMBER void finish(const Row& row) {
    RS_UNROLL
    for (int k = 0; k < Count; ++k)
      row.accumulate(sums_in(slab, k, row.width()), lost_in(slab, k, row.width()), part[k]);
    clear();
  }
};

// In the slab alone, for rows that leave no registers. A row that is computed again for company is not added.
template <class Row, int Count>
struct memory_sums {
  float* slab;

  RS_MEMBER void clear() {}
  template <int K, class E>
  RS_MEMBER void add(const Row& row, const E& e) {
    if (row.writes) row.accumulate(sums_in(slab, K, row.width()), lost_in(slab, K, row.width()), e);
  }
  RS_MEMBER void next(const Row&) {}
  RS_MEMBER void finish(const Row&) {}
};

template <bool InRegisters, class Row, int Count>
struct sums_type {
  using type = memory_sums<Row, Count>;
};
template <class Row, int Count>
struct sums_type<true, Row, Count> {
  using type = register_sums<Row, Count>;
};

// The sums that team `team` of `teams` keeps for Op, in a slab of zeros. InRegisters: where they are few.
template <int Count, bool InRegisters, class Row, class Args>
RS_DEVICE auto sums_of_team(const Args& args, const Row& row, i64 team, i64 teams) {
  if constexpr (Count == 0) {
    return no_sums{};
  } else {
    static_assert(!decltype(row.share)::windowed, "a thread has the same columns in every row");
    if (team == 0 && row.share.lane == 0) *static_cast<i64*>(args.workspace) = teams;
    typename sums_type<InRegisters, Row, Count>::type sums;
    sums.slab = slab_of(args.workspace, team, Count, row.width());
    RS_UNROLL_BY(1)
    for (int k = 0; k < 2 * Count; ++k) {
      float* zeros = sums.slab + k * static_cast<i64>(row.width());
      RS_UNROLL_BY(1)
      for (int i = 0; i < row.share.packs; ++i) {
        if (row.share.inside(i)) store_floats(zeros + row.share.first(i), pack<Row::pack_size>{});
      }
    }
    sums.clear();
    return sums;
  }
}

// Few enough to stay in registers beside what a row needs?
template <class Row, int Count>
inline constexpr bool sums_fit_registers = Row::packs* Row::pack_size* Count <= 32;

// Runs the op on one row, with the sums where it has any.
template <class Op, class Row, class... O>
RS_DEVICE void run_row(const Op& op, const Row& row, no_sums&, O... o) {
  op(row, o...);
}
template <class Op, class Row, class Sums, class... O>
RS_DEVICE void run_row(const Op& op, const Row& row, Sums& sums, O... o) {
  op.with_sums(row, sums, o...);
  sums.next(row);
}

}  // namespace rs
