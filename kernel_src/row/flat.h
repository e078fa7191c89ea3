// flat: every element by itself. Rows are cut into packs, and packs are dealt out to threads; sizes are run-time
// numbers. A thread loads all its packs before it uses the first. Where there are several rows, all packs of a thread
// are of one: a row's place is found once for them.
//
// A pack is whole: what sticks out of a row's packs at either end is computed element by element, by the block that has
// the row's first pack, so that both touch the lines they share at about the same time.
#pragma once

#include "row/bundle.h"
#include "row/operand.h"
#include "row/shifted.h"

namespace rs {

// The packs of one row: elements [begin, end), a whole number of packs.
struct flat_body {
  i64 begin;
  i64 end;
};

// Window: packs follow the 16-byte boundaries of operand Lead (of LeadBytes an element), wherever a row of it begins;
// else they begin with the row. Margin: packs that stay out at either end, so that operands of another phase may be
// read by whole aligned words. OneRow: there is one row.
template <int Pack, int Unroll, int Threads, bool OneRow, bool Window, int Margin, int Lead, int LeadBytes>
struct flat {
  static constexpr bool of_one_row = !OneRow && Pack > 1;                      // are a thread's packs?
  static constexpr int tile = of_one_row ? Threads : Threads * Unroll;         // slots of a block and turn
  static constexpr int most_ends = Pack * (Margin != 0 ? 4 : Window ? 2 : 1);  // elements of a row's ends, at most
  static constexpr int left = Margin * Pack;  // elements left out at either end, beside the ragged ones

  template <class Args, class Op, class... Operands>
  static RS_MEMBER void run(const Args& args, Op op, Operands... operands) {
    const i64 most = args.width >= Pack ? args.width / Pack : 1;  // packs of a row
    const i64 slots = of_one_row ? (most + Unroll - 1) / Unroll : most;
    const i64 all = OneRow ? slots : args.rows * slots;
    for (i64 first = static_cast<i64>(block_index()) * tile; first < all; first += args.blocks * tile) {
      packs(args, op, first, slots, all, operands...);
      if constexpr (Pack > 1) ends(args, op, first, slots, operands...);
    }
  }

 private:
  // A slot is a pack's place in its row; where a thread's are of one row, that of its first: the others follow `slots`
  // packs apart.
  struct spot {
    i64 row;
    i64 slot;
  };

  template <class Args>
  static RS_MEMBER spot locate(const Args& args, i64 at, i64 slots) {
    if constexpr (OneRow) return {0, at};
    if ((args.items | at | slots) >> 32 == 0) {  // 32-bit division is several times faster
      const u32 row = static_cast<u32>(at) / static_cast<u32>(slots);
      return {row, static_cast<u32>(at) - row * static_cast<u32>(slots)};
    }
    const i64 row = at / slots;
    return {row, at - row * slots};
  }

  template <class Args>
  static RS_MEMBER flat_body body_of(const Args& args, const row_place<Args::outer_axes>& row) {
    i64 begin = left;
    if constexpr (Window) {
      const i64 elements = OneRow ? 0 : row_offset(args, Lead, row);
      const u64 phase = (reinterpret_cast<u64>(args.op[Lead].data) / LeadBytes + static_cast<u64>(elements)) % Pack;
      begin += static_cast<i64>((Pack - phase) % Pack);
    }
    const i64 room = args.width - left - begin;
    return {begin, room < Pack ? begin : begin + room / Pack * Pack};
  }

  template <class Args, class Op, class... Operands>
  static RS_MEMBER void packs(const Args& args, Op op, i64 first, i64 slots, i64 all, Operands... operands) {
    using bundle_t = decltype(load_bundle<Pack>(args, row_place<Args::outer_axes>{}, i64{}, false, operands...));
    piece<Args, Pack> at[Unroll] = {};
    bundle_t held[Unroll];
    RS_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      const i64 number = first + (of_one_row ? 0 : u * Threads) + thread_index();
      const spot here = locate(args, number < all ? number : all - 1, slots);
      at[u].row = of_one_row && u > 0 ? at[0].row : place_of(args, here.row);
      const flat_body body = body_of(args, at[u].row);
      at[u].args = &args;
      at[u].column = body.begin + (here.slot + (of_one_row ? u * slots : 0)) * Pack;
      at[u].there = number < all && at[u].column < body.end;
      held[u] = load_bundle<Pack>(args, at[u].row, at[u].column, at[u].there, operands...);
    }
    RS_UNROLL
    for (int u = 0; u < Unroll; ++u) held[u].call(op, at[u]);
  }

  // The ends of those rows whose first pack is among the packs [first, first + tile).
  template <class Args, class Op, class... Operands>
  static RS_MEMBER void ends(const Args& args, Op op, i64 first, i64 slots, Operands... operands) {
    if (!Window && Margin == 0 && args.width % Pack == 0) return;
    i64 row = 0, end_row = first == 0 ? 1 : 0;
    if constexpr (!OneRow) {
      row = locate(args, first + slots - 1, slots).row;
      end_row = locate(args, first + tile + slots - 1, slots).row;
      if (end_row > args.rows) end_row = args.rows;
    }
    const i64 count = (end_row - row) * most_ends;
    RS_UNROLL_BY(1)
    for (i64 n = thread_index(); n < count; n += Threads) {
      piece<Args, 1> at;
      at.args = &args;
      at.row = place_of(args, OneRow ? 0 : row + n / most_ends);
      const flat_body body = body_of(args, at.row);
      const i64 k = n % most_ends;
      at.column = k < body.begin ? k : body.end + (k - body.begin);
      at.there = at.column < args.width;
      load_bundle<1>(args, at.row, at.column, at.there, operands...).call(op, at);
    }
  }
};

}  // namespace rs
