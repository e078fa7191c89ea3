// An input whose packs begin at any element while those of the output begin at 16-byte boundaries: it is read by whole
// aligned words, from which the pack is shifted together. REQUIRES: as many bytes of the row as a pack has lie before
// and behind every pack that is read, so that the words are all inside the row.
#pragma once

#include "row/operand.h"

namespace rs {

template <class T>
struct shifted_source {
  using type = T;
  const T* base;

  template <int N, reuse Reuse>
  RS_MEMBER stored_pack<T, N> read(i64 start, i64) const {
    stored_pack<T, N> r;
    if constexpr (N == 1 || stored_pack<T, N>::bytes < 4) {
      load_pack<sizeof(T), reuse::again>(r, base + start);
      return r;
    } else {
      constexpr int bytes = r.bytes, words = bytes / 4, unit = access_bytes(bytes, 16);
      const u64 at = reinterpret_cast<u64>(base + start);
      const u32 off = static_cast<u32>(at % unit);
      const u8* from = reinterpret_cast<const u8*>(at - off);
      u32 w[words + unit / 4];
      RS_UNROLL
      for (int b = 0; b <= bytes; b += unit) load_words<unit, reuse::again>(w + b / 4, from + b);
      if constexpr (unit == 16) {
        RS_UNROLL
        for (int i = 0; i < words + 2; ++i) w[i] = off & 8 ? w[i + 2] : w[i];
      }
      if constexpr (unit >= 8) {
        RS_UNROLL
        for (int i = 0; i < words + 1; ++i) w[i] = off & 4 ? w[i + 1] : w[i];
      }
      RS_UNROLL
      for (int i = 0; i < words; ++i) {
        r.word[i] = w[i];
        if constexpr (sizeof(T) < 4) {
          r.word[i] = static_cast<u32>((static_cast<u64>(w[i + 1]) << 32 | w[i]) >> (off & 3) * 8);
        }
      }
      return r;
    }
  }
};

template <int Index, class T>
struct shifted_input {
  using type = T;

  template <class Args, class Place>
  static RS_MEMBER shifted_source<T> at(const Args& args, const Place& row) {
    return {static_cast<const T*>(args.op[Index].data) + row_offset(args, Index, row)};
  }
};

}  // namespace rs
