// chained: rows of dy are added to the rows of dx that an index names, always in the order of dy. Three launches:
//
//   clear  a list for every row of dx, empty
//   link   every row of dy puts itself in front of its list: the order there is as it comes
//   sum    whoever owns a row of dx reads its list, sorts it, and adds; a list that is too long to be sorted in
//          registers is only a sign to look at all indices, in order
//
// The workspace holds the first of every list (-1: none), then who comes after each row of dy.
#pragma once

#include "row/operand.h"

namespace rs {

enum class chain_step { clear, link, sum };

// Width 0: a number of the call.
template <chain_step Step, i64 Width, int Pack, int Lanes, int Threads>
struct chained {
  static constexpr int rows_per_block = Step == chain_step::sum ? Threads / Lanes : Threads;
  static constexpr int sorted = 4;  // rows of a list that are sorted in registers
  static constexpr i64 nobody = 0x7fffffffffffffff;
  static_assert(Width % Pack == 0, "a pack is inside the row");

  template <class Args, class Op, class X, class Y>
  static RS_MEMBER void run(const Args& args, Op op, X x, Y y) {
    i64* first = static_cast<i64*>(args.workspace);
    i64* after = first + Y::rows(args);
    const i64 step = args.blocks * rows_per_block;
    const int member = Step == chain_step::sum ? thread_index() / Lanes : thread_index();
    for (i64 n = static_cast<i64>(block_index()) * rows_per_block + member; n < args.items; n += step) {
      if constexpr (Step == chain_step::clear) {
        first[n] = -1;
      } else if constexpr (Step == chain_step::link) {
        const i64 number = Y::number(args, n);
        if (static_cast<u64>(number) < static_cast<u64>(Y::rows(args))) after[n] = exchange(first + number, n);
      } else {
        add_up(args, op, x, y, n, first[n], after);
      }
    }
  }

 private:
  struct list {
    i64 at[sorted];
    int count;
  };

  static RS_MEMBER list sorted_list(i64 r, const i64* after) {
    list l;
    RS_UNROLL
    for (int k = 0; k < sorted; ++k) l.at[k] = nobody;
    for (l.count = 0; r >= 0 && l.count <= sorted; r = after[r], ++l.count) {
      i64 moved = r;
      RS_UNROLL
      for (int k = 0; k < sorted; ++k) {
        const i64 here = l.at[k];
        l.at[k] = here < moved ? here : moved;
        moved = here < moved ? moved : here;
      }
    }
    return l;
  }

  template <class Args, class Op, class X, class Y>
  static RS_MEMBER void add_up(const Args& args, Op op, X x, Y y, i64 n, i64 head, const i64* after) {
    const auto to = y.at(args, n);
    const int lane = thread_index() % Lanes;
    const i64 packs = (Width != 0 ? Width : args.width) / Pack;
    if (head < 0) return nothing(to, lane, packs);
    const list l = sorted_list(head, after);
    if (l.count == 1) return one(to, x.at(args, head), lane, packs);
    for (i64 p = lane; p < packs; p += Lanes) {
      pack<Pack> sum{}, lost{};
      if (l.count <= sorted) {
        RS_UNROLL
        for (int k = 0; k < sorted; ++k) {
          if (l.at[k] != nobody) add(op, x.at(args, l.at[k]), p, sum, lost);
        }
      } else {
        RS_UNROLL_BY(1)
        for (i64 r = 0; r < args.rows; r += looked_at) {
          const u32 named = rows_named<Y>(args, n, r);
          RS_UNROLL_BY(1)
          for (int k = 0; named >> k != 0; ++k) {
            if ((named >> k & 1) != 0) add(op, x.at(args, r + k), p, sum, lost);
          }
        }
      }
      to.write(i64{0}, p * Pack, stored<typename Y::type>(sum));
    }
  }

  // Which of the indices from r on are n, a bit each: their loads are under way together.
  static constexpr int looked_at = 4;
  template <class Y, class Args>
  static RS_MEMBER u32 rows_named(const Args& args, i64 n, i64 r) {
    u32 named = 0;
    RS_UNROLL
    for (int k = 0; k < looked_at; ++k) {
      const bool there = r + k < args.rows;
      const i64 number = Y::number(args, there ? r + k : r);
      named |= static_cast<u32>(there && number == n) << k;
    }
    return named;
  }

  template <class Op, class Source>
  static RS_MEMBER void add(Op op, const Source& row, i64 p, pack<Pack>& sum, pack<Pack>& lost) {
    const pack<Pack> v = unpack(row.template read<Pack, reuse::once>(i64{0}, p * Pack));
    RS_UNROLL
    for (int k = 0; k < Pack; ++k) op.add(sum.v[k], lost.v[k], v.v[k]);
  }

  template <class Target>
  static RS_MEMBER void nothing(const Target& to, int lane, i64 packs) {
    const pack<Pack> zero{};
    for (i64 p = lane; p < packs; p += Lanes) to.write(i64{0}, p * Pack, stored<typename Target::type>(zero));
  }

  // The usual list: as many loads under way as a copy would have.
  template <class Target, class Source>
  static RS_MEMBER void one(const Target& to, const Source& from, int lane, i64 packs) {
    using T = typename Source::type;
    constexpr int batch = 2;
    RS_UNROLL_BY(1)
    for (i64 p = lane; p < packs; p += batch * Lanes) {
      stored_pack<T, Pack> v[batch];
      RS_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (p + k * Lanes < packs) v[k] = from.template read<Pack, reuse::once>(i64{0}, (p + k * Lanes) * Pack);
      }
      RS_UNROLL
      for (int k = 0; k < batch; ++k) {
        if (p + k * Lanes < packs) {
          to.write(i64{0}, (p + k * Lanes) * Pack, stored<typename Target::type>(unpack(v[k])));
        }
      }
    }
  }
};

}  // namespace rs
