// staged: tiles of TileRows whole rows travel through shared memory, where lanes read and write single elements: any
// width and any base at the speed of aligned copies. Rows must lie end to end in both tensors.
//
// Dynamic shared memory: shared_bytes<X, Y>. TileRows × Lanes is a multiple of Threads.
#pragma once

#include "row/register_row.h"
#include "row/tile.h"

namespace rs {

template <int Width, int Lanes, int TileRows, int Threads, int Stages, bool Bulk>
struct staged {
  static_assert(TileRows * Lanes % Threads == 0, "every lane computes the same number of a tile's rows");
  static_assert(Lanes <= wave_size && Threads % wave_size == 0 && Threads >= 32, "whole waves, a row inside a wave");
  static_assert(!Bulk || (has_bulk_copy && Stages >= 2), "a tile is filled while another is read");
  static constexpr int rows_per_block = TileRows;
  static constexpr int in_buffers = Bulk ? Stages : 1;
  static constexpr int out_buffers = Bulk ? 2 : 1;

  template <class X, class Y>
  static constexpr int shared_bytes = in_buffers* tile_buffer_bytes<typename X::type>(TileRows* Width) +
                                      out_buffers* tile_buffer_bytes<typename Y::type>(TileRows* Width);

  template <class Args, class Op, class X, class Y>
  static RS_MEMBER void run(const Args& args, Op op, X, Y) {
    RS_DYNAMIC_SHARED(shared);
    tensors<typename X::type, typename Y::type> t{static_cast<typename X::type*>(args.op[X::index].data),
                                                  static_cast<typename Y::type*>(args.op[Y::index].data),
                                                  args.rows,
                                                  (args.rows + TileRows - 1) / TileRows,
                                                  args.blocks,
                                                  shared};
    if constexpr (Bulk) {
      run_bulk(t, op);
    } else {
      run_cooperative(t, op);
    }
  }

 private:
  template <class T, class U>
  struct tensors {
    static constexpr int in_bytes = tile_buffer_bytes<T>(TileRows * Width);
    static constexpr int out_bytes = tile_buffer_bytes<U>(TileRows * Width);

    T* x;
    U* y;
    i64 rows;
    i64 tiles;
    i64 blocks;
    u8* shared;

    RS_MEMBER int elements(i64 tile) const {
      const i64 left = rows - tile * TileRows;
      return static_cast<int>(left < TileRows ? left : TileRows) * Width;
    }
    RS_MEMBER tile_span<T> in(i64 tile) const { return {x + tile * (TileRows * Width), elements(tile)}; }
    RS_MEMBER tile_span<U> out(i64 tile) const { return {y + tile * (TileRows * Width), elements(tile)}; }
    RS_MEMBER u8* in_buffer(int stage) const { return shared + stage * in_bytes; }
    RS_MEMBER u8* out_buffer(int turn) const { return shared + in_buffers * in_bytes + turn * out_bytes; }
  };

  // All rows of a tile from one buffer to another. In a tile cut short the rows behind the last compute on what lies
  // there.
  template <class Op, class T, class U>
  static RS_MEMBER void compute(Op op, const T* in, U* out) {
    using share_t = share<Width, 1, Lanes, false>;
    lane_team<Lanes> team;
    const int lane = thread_index() % Lanes;
    RS_UNROLL_BY(1)
    for (int row = thread_index() / Lanes; row < TileRows; row += Threads / Lanes) {
      op(register_row<share_t, lane_team<Lanes>, keep::values, false>{share_t{lane, 0}, &team, true},
         source<T, in_shared, sizeof(T)>{in + row * Width, 1}, target<U, in_shared, sizeof(U)>{out + row * Width, 1});
    }
  }

  template <class Tensors, class Op>
  static RS_MEMBER void run_cooperative(const Tensors& t, Op op) {
    for (i64 tile = block_index(); tile < t.tiles; tile += t.blocks) {
      const auto in = t.in(tile);
      const auto out = t.out(tile);
      load_interior<Threads>(in, t.in_buffer(0));
      decltype(edge_of(in)) edge;
      edge.load(in, t.in_buffer(0));
      edge.put();
      barrier();
      compute(op, in.in(t.in_buffer(0)), out.in(t.out_buffer(0)));
      barrier();
      store_interior<Threads>(out, t.out_buffer(0));
      store_edges(out, t.out_buffer(0));
    }
  }

  template <class T>
  static RS_MEMBER tile_edge<T> edge_of(const tile_span<T>&);

#ifdef RS_BULK_COPY
  // Thread 0 lets bulk copies fill the stages ahead and carry results away. One barrier a tile.
  template <class Tensors, class Op>
  static RS_MEMBER void run_bulk(const Tensors& t, Op op) {
    RS_SHARED bulk_barrier full[Stages];
    const bool leader = thread_index() == 0;
    if (leader) {
      RS_UNROLL
      for (int s = 0; s < Stages; ++s) full[s].init();
      publish_barriers();
    }
    barrier();
    i64 tile = block_index();
    if (leader) {
      RS_UNROLL
      for (int s = 0; s < Stages; ++s) fill(t, tile + s * t.blocks, s, full);
    }
    decltype(edge_of(t.in(0))) edge;
    if (tile < t.tiles) {
      edge.load(t.in(tile), t.in_buffer(0));
      edge.put();
    }
    barrier();
    int stage = 0;
    u32 parity = 0;
    int turn = 0;
    RS_UNROLL_BY(1)
    for (; tile < t.tiles; tile += t.blocks) {
      const int next_stage = stage + 1 == Stages ? 0 : stage + 1;
      const bool more = tile + t.blocks < t.tiles;
      if (more) edge.load(t.in(tile + t.blocks), t.in_buffer(next_stage));
      full[stage].wait(parity);
      const auto out = t.out(tile);
      compute(op, t.in(tile).in(t.in_buffer(stage)), out.in(t.out_buffer(turn)));
      if (more) edge.put();
      bulk_fence();
      if (leader) bulk_store_drained();  // the other buffer of results may be written again, behind the barrier
      barrier();
      if (leader) {
        const int interior = out.interior() * static_cast<int>(sizeof(*out.memory));
        if (interior > 0) {
          bulk_store(out.memory + out.head(), out.in(t.out_buffer(turn)) + out.head(), static_cast<u32>(interior));
        }
        fill(t, tile + Stages * t.blocks, stage, full);
      }
      store_edges(out, t.out_buffer(turn));
      turn ^= 1;
      if (next_stage == 0) parity ^= 1;
      stage = next_stage;
    }
    if (leader) bulk_store_done();
  }

  template <class Tensors>
  static RS_MEMBER void fill(const Tensors& t, i64 tile, int stage, bulk_barrier* full) {
    if (tile >= t.tiles) return;
    const auto in = t.in(tile);
    const u32 bytes = static_cast<u32>(in.interior()) * static_cast<u32>(sizeof(*in.memory));
    full[stage].expect(bytes);
    if (bytes > 0) bulk_load(in.in(t.in_buffer(stage)) + in.head(), in.memory + in.head(), bytes, full + stage);
  }
#endif
};

}  // namespace rs
