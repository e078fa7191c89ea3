// A tile of whole rows that lie end to end, on its way through shared memory. Its elements keep their address modulo 16
// bytes, so that the interior moves 16 bytes at a time wherever the tensor begins; what sticks out at either end, less
// than 16 bytes, moves element by element. Nothing outside the tile is read or written.
#pragma once

#include "row/operand.h"

namespace rs {

// Where a tile of `count` elements lies in memory and in its buffer.
template <class T>
struct tile_span {
  static constexpr int per_access = 16 / static_cast<int>(sizeof(T));

  T* memory;
  int count;

  RS_MEMBER int phase() const { return static_cast<int>(reinterpret_cast<u64>(memory) % 16); }
  // Elements before the interior, elements of the interior, elements after it.
  RS_MEMBER int head() const {
    const int h = (16 - phase()) % 16 / static_cast<int>(sizeof(T));
    return h < count ? h : count;
  }
  RS_MEMBER int interior() const { return (count - head()) / per_access * per_access; }

  // The tile's first element in a buffer that is 16-byte aligned.
  RS_MEMBER T* in(u8* buffer) const { return reinterpret_cast<T*>(buffer + phase()); }

  // The element of either end that is this thread's to move, or -1. The block has at least 32 threads.
  RS_MEMBER int edge(int thread) const {
    if (thread < 16) return thread < head() ? thread : -1;
    const int at = head() + interior() + thread - 16;
    return thread < 32 && at < count ? at : -1;
  }
};

// The interior by all threads of a block, 16 bytes a thread and turn; the loads of four turns are under way together.
template <int Threads, class T>
RS_DEVICE void load_interior(const tile_span<T>& t, u8* buffer) {
  constexpr int turn = Threads * tile_span<T>::per_access, turns = 4;
  const int begin = t.head() + thread_index() * t.per_access, end = t.head() + t.interior();
  RS_UNROLL_BY(1)
  for (int at = begin; at < end; at += turns * turn) {
    u32 w[turns][4];
    RS_UNROLL
    for (int k = 0; k < turns; ++k) {
      if (at + k * turn < end) load_words<16, reuse::once>(w[k], t.memory + at + k * turn);
    }
    RS_UNROLL
    for (int k = 0; k < turns; ++k) {
      if (at + k * turn < end) store_shared16(t.in(buffer) + at + k * turn, w[k]);
    }
  }
}

template <int Threads, class T>
RS_DEVICE void store_interior(const tile_span<T>& t, u8* buffer) {
  constexpr int turn = Threads * tile_span<T>::per_access;
  const int begin = t.head() + thread_index() * t.per_access, end = t.head() + t.interior();
  RS_UNROLL_BY(4)
  for (int at = begin; at < end; at += turn) {
    u32 w[4];
    load_shared16(w, t.in(buffer) + at);
    store_words<16, reuse::once>(t.memory + at, w);
  }
}

template <class T>
RS_DEVICE void store_edges(const tile_span<T>& t, u8* buffer) {
  const int at = t.edge(thread_index());
  if (at >= 0) target<T, contiguous, sizeof(T)>{t.memory, 1}.write_element(at, t.in(buffer)[at]);
}

// Bytes of a buffer for `elements` elements at any phase.
template <class T>
RS_DEVICE constexpr int tile_buffer_bytes(int elements) {
  return (elements * static_cast<int>(sizeof(T)) + 15 + 127) / 128 * 128;
}

// An edge element between its load and its place in a buffer, so that nobody waits for it in between.
struct tile_edge {
  u32 bits = 0;
  int at = -1;  // the element, of a tile; -1: none

  template <class T>
  RS_MEMBER void load(const tile_span<T>& t) {
    at = t.edge(thread_index());
    if (at < 0) return;
    stored_pack<T, 1> p;
    p.word[0] = 0;
    p.set_element(0, source<T, contiguous, sizeof(T)>{t.memory, 1}.read_element(at));
    bits = p.word[0];
  }
  template <class T>
  RS_MEMBER void put(const tile_span<T>& t, u8* buffer) const {
    if (at < 0) return;
    stored_pack<T, 1> p;
    p.word[0] = bits;
    t.in(buffer)[at] = p.element(0);
  }
};

}  // namespace rs
