// split: few rows, each of so many elements that a block a row would leave most of the machine idle. Two launches: the
// blocks of the first fold a part of a row each; a wave of the second merges the states of a row's parts, in their
// order.
//
// Neighbouring rows (columns.h) are cut the same way: there a block folds one part of Span rows.
#pragma once

#include "row/long_sum.h"
#include "row/streamed_row.h"

namespace rs {

// A part of a row as a row of its own: it begins at element `begin`.
template <class Source>
struct part_of_row {
  using type = typename Source::type;
  static constexpr bool one_element = Source::one_element;
  Source whole;
  i64 begin;

  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    return unpack(row.words(*this, i));
  }
  template <int N, reuse Reuse, class Offset>
  RS_MEMBER auto read(Offset start, Offset step) const {
    return whole.template read<N, Reuse>(begin + start, static_cast<i64>(step));
  }
  template <class Offset>
  RS_MEMBER type read_element(Offset at) const {
    return whole.read_element(begin + at);
  }
};

// The states in the workspace: Fields words for part p of row r at (r * Parts + p) * Fields.
template <class State, int Parts>
struct part_states {
  using state = decltype(State::template empty<float>());
  static constexpr int fields = sizeof(state) / sizeof(float);
  using words = float_words<fields>;
  float* memory;

  RS_MEMBER void put(i64 row, i64 part, state s) const {
    const auto w = __builtin_bit_cast(words, s);
    RS_UNROLL
    for (int k = 0; k < fields; ++k) memory[(row * Parts + part) * fields + k] = w.v[k];
  }
  RS_MEMBER state get(i64 row, i64 part) const {
    words w;
    RS_UNROLL
    for (int k = 0; k < fields; ++k) w.v[k] = memory[(row * Parts + part) * fields + k];
    return __builtin_bit_cast(state, w);
  }
};

// One part for each block and turn: part number item % Parts of row item / Parts. Parts but the last have PartWidth
// elements.
template <i64 Width, i64 PartWidth, int Parts, int Pack, int Threads>
struct split_parts {
  static constexpr i64 last_width = Width - PartWidth * (Parts - 1);
  static_assert(last_width > 0 && last_width <= PartWidth, "parts cover the row");

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest...) {
    using team_t = block_team<Threads>;
    RS_SHARED float slots[team_t::shared_floats];
    team_t team{slots};
    const part_states<typename Op::part_state, Parts> states{static_cast<float*>(args.workspace)};
    for (i64 item = block_index(); item < args.items; item += args.blocks) {
      const i64 row = item / Parts, part = item - row * Parts;
      const auto whole = x.at(args, row);
      const float origin = to_float(whole.read_element(0));
      if (part < Parts - 1) {
        fold<PartWidth>(op, team, states, row, part, origin, whole);
      } else {
        fold<last_width>(op, team, states, row, part, origin, whole);
      }
    }
  }

 private:
  template <i64 Length, class Op, class Team, class States, class Source>
  static RS_MEMBER void fold(Op op, Team& team, const States& states, i64 row, i64 part, float origin,
                             const Source& whole) {
    using share_t = share<Length, Pack, Threads, false>;
    const streamed_row<share_t, Team, 0, reuse::last, ask::any> piece{share_t{thread_index(), 0}, &team};
    const auto state = op.part_of(piece, origin, part_of_row<Source>{whole, part * PartWidth});
    if (thread_index() == 0) states.put(row, part, state);
  }
};

// The same of rows that are neighbours in memory: a block folds a part of Span rows, Members threads a row.
template <i64 Width, i64 PartWidth, int Parts, int Span, int Members>
struct split_columns {
  static constexpr i64 last_width = Width - PartWidth * (Parts - 1);

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest...) {
    using team_t = column_team<Span, Members>;
    RS_SHARED float slots[team_t::shared_floats];
    team_t team{slots};
    const part_states<typename Op::part_state, Parts> states{static_cast<float*>(args.workspace)};
    const i64 groups = (args.rows + Span - 1) / Span;
    for (i64 item = block_index(); item < groups * Parts; item += args.blocks) {
      const i64 group = item / Parts, part = item - group * Parts;
      const i64 wanted = group * Span + thread_index() % Span, row = wanted < args.rows ? wanted : args.rows - 1;
      const auto whole = x.at(args, row);
      const float origin = to_float(whole.read_element(0));
      const bool mine = wanted < args.rows && thread_index() < Span;
      if (part < Parts - 1) {
        fold<PartWidth>(op, team, states, row, part, origin, whole, mine);
      } else {
        fold<last_width>(op, team, states, row, part, origin, whole, mine);
      }
    }
  }

 private:
  template <i64 Length, class Op, class Team, class States, class Source>
  static RS_MEMBER void fold(Op op, Team& team, const States& states, i64 row, i64 part, float origin,
                             const Source& whole, bool mine) {
    using share_t = share<Length, 1, Members, false>;
    const streamed_row<share_t, Team, 0, reuse::last, ask::any> piece{share_t{thread_index() / Span, 0}, &team};
    const auto state = op.part_of(piece, origin, part_of_row<Source>{whole, part * PartWidth});
    if (mine) states.put(row, part, state);
  }
};

// One wave a row: the states of its parts, merged lane by lane and then over the lanes.
template <int Parts, int Threads>
struct split_whole {
  static constexpr int rows_per_block = Threads / wave_size;

  struct finished_row {
    int lane;
    template <class T, class Inner, int Align, reuse Wanted>
    RS_MEMBER void store_one(const target<T, Inner, Align, Wanted>& y, float value) const {
      if (lane == 0) y.write_element(0, stored<T>(pack<1>{{value}}).element(0));
    }
    RS_MEMBER void store_one(none, float) const {}
  };

  // The row itself once more, for who cannot tell from the states alone.
  template <class Source>
  struct row_again {
    Source row;
    i64 width;
    int lane;

    template <class F>
    RS_MEMBER float sum(F f) const {
      float sum = 0.0f, lost = 0.0f;
      for (i64 i = lane; i < width; i += wave_size) {
        const float v = f(to_float(row.read_element(i))), total = sum + v;
        lost = lost + lost_in(sum, v, total);
        sum = total;
      }
      return lane_team<wave_size>{}.template reduce<sum_of>(sum + (lost == lost ? lost : 0.0f));
    }
  };
  template <class Source>
  static RS_MEMBER row_again<Source> again(const Source& row, i64 width, int lane) {
    return {row, width, lane};
  }

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using state_t = typename Op::part_state;
    const part_states<state_t, Parts> states{static_cast<float*>(args.workspace)};
    const int lane = thread_index() % wave_size;
    for (i64 row = static_cast<i64>(block_index()) * rows_per_block + wave_uniform(thread_index() / wave_size);
         row < args.rows; row += args.blocks * rows_per_block) {
      auto total = state_t::template empty<float>();
      RS_UNROLL_BY(1)
      for (int part = lane; part < Parts; part += wave_size) total = state_t::merge(total, states.get(row, part));
      total = state_t::across(lane_team<wave_size>{}, total);
      const auto source = x.at(args, row);
      op.whole(finished_row{lane}, to_float(source.read_element(0)), total, again(source, args.width, lane),
               rest.at(args, row)...);
    }
  }
};

}  // namespace rs
