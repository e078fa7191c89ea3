// cluster: the threads of several blocks own a row in registers (sm_90+). A reduction costs a barrier of the block and
// one of the cluster; with keep::storage the row is folded, by one reduction.
// cluster_streamed: they pass over it twice. With so many blocks a row few rows are under way, and the second pass
// finds them in the L2.
#pragma once

#include "row/register_row.h"
#include "row/streamed_row.h"

namespace rs {

// Blocks × Threads threads that reduce together. As in block_team, two sets of slots are used in turn: when a block
// writes into a peer's set again, the cluster's barrier in between has shown that the peer has read it.
template <int Threads, int Blocks>
struct cluster_team {
  static_assert(Blocks <= wave_size, "a wave reads what every block has to say");
  static constexpr int fields = block_team<Threads>::fields;
  static constexpr int shared_floats = 2 * fields * Blocks;

  block_team<Threads> block;
  float* slots;         // of what the blocks of the cluster say: [turn][field][block]
  bool waited = false;  // for every block to have begun: before, its shared memory is nobody's
  int turn = 0;
  u32 zero = 0;

  // Every member has the same bits.
  static RS_MEMBER bool any(bool v) { return v; }

  template <class Op>
  RS_MEMBER float reduce(float v) {
    v = block.template reduce<Op>(v);
    float* said = next_slots();
    if (thread_index() < Blocks) store_to_peer(said + cluster_rank(), static_cast<u32>(thread_index()), v);
    cluster_arrive();
    cluster_wait();
    v = wave_reduce<Blocks, Op>(said[thread_index() % Blocks]);
    zero = zero_after(v);
    return v;
  }

  // The states of all threads, merged.
  template <class State, class S>
  RS_MEMBER S gather(S of_thread) {
    return merge<State>(State::across(lane_team<wave_size>{}, of_thread));
  }

  // The states of the waves of all blocks, merged.
  template <class State, class S>
  RS_MEMBER S merge(S of_wave) {
    using words = float_words<sizeof(S) / sizeof(float)>;
    const auto own = __builtin_bit_cast(words, block.template merge<State>(of_wave));
    float* said = next_slots();
    if (thread_index() < Blocks) {
      RS_UNROLL
      for (int k = 0; k < words::count; ++k) {
        store_to_peer(said + k * Blocks + cluster_rank(), static_cast<u32>(thread_index()), own.v[k]);
      }
    }
    cluster_arrive();
    cluster_wait();
    words w;
    RS_UNROLL
    for (int k = 0; k < words::count; ++k) w.v[k] = said[k * Blocks + thread_index() % Blocks];
    const S all = State::across(lane_team<Blocks>{}, __builtin_bit_cast(S, w));
    zero = zero_after(__builtin_bit_cast(words, all).v[words::count - 1]);
    return all;
  }

 private:
  RS_MEMBER float* next_slots() {
    if (!waited) cluster_wait();
    waited = true;
    turn ^= 1;
    return slots + turn * fields * Blocks;
  }
};

template <class Row, class Share, int Threads, int Blocks>
struct rows_of_clusters {
  static constexpr int rows_per_block = 1;  // of a cluster

  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, Op op, X x, Rest... rest) {
    using team_t = cluster_team<Threads, Blocks>;
    RS_SHARED float block_slots[block_team<Threads>::shared_floats];
    RS_SHARED float cluster_slots[team_t::shared_floats];
    team_t team{{block_slots}, cluster_slots};
    cluster_arrive();  // the first loads are under way while the others begin
    const int lane = static_cast<int>(cluster_rank()) * Threads + thread_index();
    for (i64 row = block_index() / Blocks; row < args.rows; row += args.blocks / Blocks) {
      const auto place = place_of(args, row);
      const auto first = x.at(args, place);
      op(Row{share_of<Share>(lane, X::phase_at(args, first)), &team, true}, first, rest.at(args, place)...);
    }
  }
};

template <int Width, int Pack, int Threads, int Blocks, bool Window, keep Keep>
using cluster = rows_of_clusters<register_row<share<Width, Pack, Threads * Blocks, Window>,
                                              cluster_team<Threads, Blocks>, Keep, Keep == keep::storage>,
                                 share<Width, Pack, Threads * Blocks, Window>, Threads, Blocks>;

template <i64 Width, int Pack, int Threads, int Blocks, bool Window, int Kept>
using cluster_streamed = rows_of_clusters<streamed_row<share<Width, Pack, Threads * Blocks, Window>,
                                                       cluster_team<Threads, Blocks>, Kept, reuse::again, ask::any>,
                                          share<Width, Pack, Threads * Blocks, Window>, Threads, Blocks>;

}  // namespace rs
