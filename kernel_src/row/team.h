// Who reduces a row together: some lanes of a wave, or the waves of a block. Every member gets the same bits.
// `zero` comes from the latest result: passes over stored words are told apart by it (see recall).
#pragma once

#include "row/reductions.h"

namespace rs {

template <int Lanes>
struct lane_team {
  u32 zero = 0;

  // Is v true in this team, or in one whose lanes take part in the same exchanges? Then all of these may take a branch
  // with reductions in it.
  static RS_MEMBER bool any(bool v) { return Lanes == wave_size ? v : wave_any(v); }

  template <class Op>
  RS_MEMBER float reduce(float v) {
    v = wave_reduce<Lanes, Op>(v);
    zero = zero_after(v);
    return v;
  }
  template <class State, class S>
  RS_MEMBER S gather(S of_lane) {
    return State::across(*this, of_lane);
  }
};

RS_DEVICE constexpr int power_of_two_from(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

// Threads one span apart, from different waves: member m of the rows that a block's first Span threads begin. Their
// values are added in the order of the members.
template <int Span, int Members>
struct column_team {
  static constexpr int shared_floats = Members > 1 ? 2 * Span* Members : 1;

  float* slots;
  int turn = 0;
  u32 zero = 0;

  // Is v true in any thread of the block? All of them meet in every reduction.
  RS_MEMBER bool any(bool v) {
    if constexpr (Members == 1) return v;
    turn ^= 1;
    float* set = slots + turn * Span * Members;
    set[thread_index()] = v ? 1.0f : 0.0f;
    barrier();
    bool found = false;
    RS_UNROLL_BY(1)
    for (int k = thread_index() % wave_size; k < Span * Members; k += wave_size) found = found || set[k] != 0.0f;
    return wave_any(found);
  }

  // All threads of the block take part.
  template <class Op>
  RS_MEMBER float reduce(float v) {
    if constexpr (Members > 1) {
      turn ^= 1;
      float* set = slots + turn * Span * Members;
      const int column = thread_index() % Span;
      set[thread_index()] = v;
      barrier();
      v = set[column];
      RS_UNROLL
      for (int m = 1; m < Members; ++m) v = Op::of(v, set[m * Span + column]);
    }
    zero = zero_after(v);
    return v;
  }
  template <class State, class S>
  RS_MEMBER S gather(S of_thread) {
    return State::across(*this, of_thread);
  }
};

// A state's fields as floats.
template <int Count>
struct float_words {
  static constexpr int count = Count;
  float v[Count];
};

// Two sets of slots in shared memory are used in turn, so that a reduction costs one barrier: when a set is written
// again, the barrier of the reduction in between has shown that everybody has read it.
template <int Threads>
struct block_team {
  static_assert(Threads % wave_size == 0, "a block is made of whole waves");
  static constexpr int waves = Threads / wave_size;
  static constexpr int padded = power_of_two_from(waves);
  static constexpr int fields = 3;  // of the largest state
  static constexpr int shared_floats = 2 * fields * waves;

  float* slots;
  int turn = 0;
  u32 zero = 0;

  // Every member has the same bits.
  static RS_MEMBER bool any(bool v) { return v; }

  RS_MEMBER float* next_slots() {
    turn ^= 1;
    return slots + turn * fields * waves;
  }

  template <class Op>
  RS_MEMBER float reduce(float v) {
    v = wave_reduce<wave_size, Op>(v);
    if constexpr (waves > 1) {
      float* mine = next_slots();
      if (lane() == 0) mine[wave()] = v;
      barrier();
      v = has_slot() ? mine[slot()] : Op::identity;
      v = wave_reduce<padded, Op>(v);
    }
    zero = zero_after(v);
    return v;
  }

  // The states of all threads, merged.
  template <class State, class S>
  RS_MEMBER S gather(S of_thread) {
    return merge<State>(State::across(lane_team<wave_size>{}, of_thread));
  }

  // The states of the waves, merged.
  template <class State, class S>
  RS_MEMBER S merge(S of_wave) {
    using words = float_words<sizeof(S) / sizeof(float)>;
    static_assert(words::count <= fields, "a state has its slots");
    if constexpr (waves > 1) {
      float* mine = next_slots();
      if (lane() == 0) {
        const auto w = __builtin_bit_cast(words, of_wave);
        RS_UNROLL
        for (int k = 0; k < words::count; ++k) mine[k * waves + wave()] = w.v[k];
      }
      barrier();
      of_wave = State::template empty<float>();
      if (has_slot()) {
        words w;
        RS_UNROLL
        for (int k = 0; k < words::count; ++k) w.v[k] = mine[k * waves + slot()];
        of_wave = __builtin_bit_cast(S, w);
      }
      of_wave = State::across(lane_team<padded>{}, of_wave);
    }
    zero = zero_after(__builtin_bit_cast(words, of_wave).v[words::count - 1]);
    return of_wave;
  }

 private:
  static RS_MEMBER int lane() { return thread_index() % wave_size; }
  static RS_MEMBER int wave() { return thread_index() / wave_size; }
  static RS_MEMBER int slot() { return lane() % padded; }
  static RS_MEMBER bool has_slot() { return padded == waves || slot() < waves; }
};

}  // namespace rs
