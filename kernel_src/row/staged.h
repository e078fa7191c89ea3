// staged: tiles of TileRows whole rows travel through shared memory, where lanes read and write single elements: any
// width and any base at the speed of aligned copies. Rows must lie end to end in every operand that travels so
// (tile_input, tile_output); the others are read and written where they are.
//
// Dynamic shared memory: shared_bytes<operands…>. TileRows × Lanes is a multiple of Threads.
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

  // Bytes of one stage's buffers of those operands that travel in this direction.
  template <flow Direction, class O>
  static RS_MEMBER constexpr int buffer_bytes() {
    if constexpr (O::direction == Direction) return tile_buffer_bytes<typename O::type>(TileRows * Width);
    return 0;
  }
  template <flow Direction, class... O>
  static constexpr int stage_bytes = (0 + ... + buffer_bytes<Direction, O>());

  template <class... O>
  static constexpr int shared_bytes =
      in_buffers* stage_bytes<flow::in, O...> + out_buffers* stage_bytes<flow::out, O...>;

  template <class Args, class Op, class... O>
  static RS_MEMBER void run(const Args& args, Op op, O... o) {
    RS_DYNAMIC_SHARED(shared);
    const tiles<Args> t{args, (args.rows + TileRows - 1) / TileRows, shared};
    if constexpr (Bulk) {
      run_bulk(t, op, o...);
    } else {
      run_cooperative(t, op, o...);
    }
  }

 private:
  template <class Args>
  struct tiles {
    const Args& args;
    i64 count;
    u8* shared;

    RS_MEMBER int elements(i64 tile) const {
      const i64 left = args.rows - tile * TileRows;
      return static_cast<int>(left < TileRows ? left : TileRows) * Width;
    }
    template <class O>
    RS_MEMBER tile_span<typename O::type> span(O, i64 tile) const {
      using T = typename O::type;
      return {static_cast<T*>(args.op[O::index].data) + tile * (TileRows * Width), elements(tile)};
    }
  };

  // Where the buffer of operand Which begins in a stage: behind those of the operands before it.
  template <class Which, class... O>
  static RS_MEMBER constexpr int offset_in_stage() {
    int offset = 0;
    bool before = true;
    ((before = before && !same<Which, O>, offset += before ? buffer_bytes<Which::direction, O>() : 0), ...);
    return offset;
  }
  template <class Which, class... O>
  static RS_MEMBER u8* buffer(u8* shared, int stage) {
    constexpr int first = Which::direction == flow::in ? 0 : in_buffers * stage_bytes<flow::in, O...>;
    return shared + first + stage * stage_bytes<Which::direction, O...> + offset_in_stage<Which, O...>();
  }

  // An operand of one row: from its tile in shared memory, or from where it is.
  template <class Which, class... O, class Tiles>
  static RS_MEMBER auto operand_of(const Tiles& t, Which which, i64 tile, int row, int in_stage, int out_turn) {
    if constexpr (Which::direction == flow::none) {
      const i64 at = tile * TileRows + row;
      return which.at(t.args, at < t.args.rows ? at : t.args.rows - 1);
    } else {
      using T = typename Which::type;
      const int stage = Which::direction == flow::in ? in_stage : out_turn;
      T* first = t.span(which, tile).in(buffer<Which, O...>(t.shared, stage)) + row * Width;
      if constexpr (Which::direction == flow::in) {
        return source<T, in_shared, sizeof(T)>{first, 1};
      } else {
        return target<T, in_shared, sizeof(T)>{first, 1};
      }
    }
  }

  // All rows of a tile. In a tile cut short the rows behind the last compute on what lies there, and write nothing
  // outside shared memory.
  template <class Tiles, class Op, class... O>
  static RS_MEMBER void compute(const Tiles& t, i64 tile, int in_stage, int out_turn, Op op, O... o) {
    using share_t = share<Width, 1, Lanes, false>;
    lane_team<Lanes> team;
    const int lane = thread_index() % Lanes;
    const int rows = t.elements(tile) / Width;
    RS_UNROLL_BY(1)
    for (int row = thread_index() / Lanes; row < TileRows; row += Threads / Lanes) {
      op(register_row<share_t, lane_team<Lanes>, keep::values, false>{share_t{lane, 0}, &team, row < rows},
         operand_of<O, O...>(t, o, tile, row, in_stage, out_turn)...);
    }
  }

  template <class Tiles, class Op, class... O>
  static RS_MEMBER void run_cooperative(const Tiles& t, Op op, O... o) {
    for (i64 tile = block_index(); tile < t.count; tile += t.args.blocks) {
      (load_by_all<O, O...>(t, o, tile), ...);
      barrier();
      compute(t, tile, 0, 0, op, o...);
      barrier();
      (store_by_all<O, O...>(t, o, tile), ...);
    }
  }

  template <class Which, class... O, class Tiles>
  static RS_MEMBER void load_by_all(const Tiles& t, Which which, i64 tile) {
    if constexpr (Which::direction == flow::in) {
      const auto in = t.span(which, tile);
      u8* to = buffer<Which, O...>(t.shared, 0);
      load_interior<Threads>(in, to);
      tile_edge edge;
      edge.load(in);
      edge.put(in, to);
    }
  }
  template <class Which, class... O, class Tiles>
  static RS_MEMBER void store_by_all(const Tiles& t, Which which, i64 tile) {
    if constexpr (Which::direction == flow::out) {
      const auto out = t.span(which, tile);
      u8* from = buffer<Which, O...>(t.shared, 0);
      store_interior<Threads>(out, from);
      store_edges(out, from);
    }
  }

#ifdef RS_BULK_COPY
  // Thread 0 lets bulk copies fill the stages ahead and carry results away. One barrier a tile.
  template <class Tiles, class Op, class... O>
  static RS_MEMBER void run_bulk(const Tiles& t, Op op, O... o) {
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
      for (int s = 0; s < Stages; ++s) fill(t, tile + s * t.args.blocks, s, full, o...);
    }
    tile_edge edge[sizeof...(O)];  // of every operand, on its way
    if (tile < t.count) {
      load_edges(t, tile, edge, o...);
      put_edges(t, tile, 0, edge, o...);
    }
    barrier();
    int stage = 0;
    u32 parity = 0;
    int turn = 0;
    RS_UNROLL_BY(1)
    for (; tile < t.count; tile += t.args.blocks) {
      const int next_stage = stage + 1 == Stages ? 0 : stage + 1;
      const i64 next = tile + t.args.blocks;
      if (next < t.count) load_edges(t, next, edge, o...);
      full[stage].wait(parity);
      compute(t, tile, stage, turn, op, o...);
      if (next < t.count) put_edges(t, next, next_stage, edge, o...);
      bulk_fence();
      if (leader) bulk_store_drained();  // the other buffers of results may be written again, behind the barrier
      barrier();
      if (leader) {
        (store_in_bulk<O, O...>(t, o, tile, turn), ...);
        fill(t, tile + Stages * t.args.blocks, stage, full, o...);
      }
      (store_edges_of<O, O...>(t, o, tile, turn), ...);
      turn ^= 1;
      if (next_stage == 0) parity ^= 1;
      stage = next_stage;
    }
    if (leader) bulk_store_done();
  }

  template <class Tiles, class... O>
  static RS_MEMBER void load_edges(const Tiles& t, i64 tile, tile_edge* edge, O... o) {
    (load_edge(t, o, tile, edge++), ...);
  }
  template <class Which, class Tiles>
  static RS_MEMBER void load_edge(const Tiles& t, Which which, i64 tile, tile_edge* edge) {
    if constexpr (Which::direction == flow::in) edge->load(t.span(which, tile));
  }
  template <class Tiles, class... O>
  static RS_MEMBER void put_edges(const Tiles& t, i64 tile, int stage, const tile_edge* edge, O... o) {
    (put_edge<O, O...>(t, o, tile, stage, edge++), ...);
  }
  template <class Which, class... O, class Tiles>
  static RS_MEMBER void put_edge(const Tiles& t, Which which, i64 tile, int stage, const tile_edge* edge) {
    if constexpr (Which::direction == flow::in) edge->put(t.span(which, tile), buffer<Which, O...>(t.shared, stage));
  }
  template <class Which, class... O, class Tiles>
  static RS_MEMBER void store_in_bulk(const Tiles& t, Which which, i64 tile, int turn) {
    if constexpr (Which::direction == flow::out) {
      const auto out = t.span(which, tile);
      const int interior = out.interior() * static_cast<int>(sizeof(*out.memory));
      u8* from = buffer<Which, O...>(t.shared, turn);
      if (interior > 0) bulk_store(out.memory + out.head(), out.in(from) + out.head(), static_cast<u32>(interior));
    }
  }
  template <class Which, class... O, class Tiles>
  static RS_MEMBER void store_edges_of(const Tiles& t, Which which, i64 tile, int turn) {
    if constexpr (Which::direction == flow::out) {
      store_edges(t.span(which, tile), buffer<Which, O...>(t.shared, turn));
    }
  }

  template <class Tiles, class... O>
  static RS_MEMBER void fill(const Tiles& t, i64 tile, int stage, bulk_barrier* full, O... o) {
    if (tile >= t.count) return;
    full[stage].expect((0 + ... + interior_bytes(t, o, tile)));
    (load_in_bulk<O, O...>(t, o, tile, stage, full), ...);
  }
  template <class Which, class Tiles>
  static RS_MEMBER u32 interior_bytes(const Tiles& t, Which which, i64 tile) {
    if constexpr (Which::direction == flow::in) {
      return static_cast<u32>(t.span(which, tile).interior()) * static_cast<u32>(sizeof(typename Which::type));
    }
    return 0;
  }
  template <class Which, class... O, class Tiles>
  static RS_MEMBER void load_in_bulk(const Tiles& t, Which which, i64 tile, int stage, bulk_barrier* full) {
    if constexpr (Which::direction == flow::in) {
      const auto in = t.span(which, tile);
      const u32 bytes = interior_bytes(t, which, tile);
      u8* to = buffer<Which, O...>(t.shared, stage);
      if (bytes > 0) bulk_load(in.in(to) + in.head(), in.memory + in.head(), bytes, full + stage);
    }
  }
#endif
};

}  // namespace rs
