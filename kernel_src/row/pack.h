// Packs of the wave model: N consecutive elements in a thread's registers, as floats or as the words they are stored
// in.
#pragma once

namespace rs {

template <int N>
struct pack {
  static constexpr int size = N;
  float v[N];
};

template <class F, int N, class... More>
RS_DEVICE pack<N> apply(F f, const pack<N>& a, const More&... more) {
  pack<N> r;
  RS_UNROLL
  for (int k = 0; k < N; ++k) r.v[k] = f(a.v[k], more.v[k]...);
  return r;
}

// The first `count` elements of p; behind them, `otherwise`.
template <int N, class Count>
RS_DEVICE pack<N> first_of(pack<N> p, Count count, float otherwise) {
  RS_UNROLL
  for (int k = 0; k < N; ++k) p.v[k] = select(k < count, p.v[k], otherwise);
  return p;
}

// N elements of T as they are stored: an element of 4 bytes is a word, of 8 two, smaller ones share it, the first in
// the lowest bits.
template <class T, int N>
struct stored_pack {
  static constexpr int bytes = N * static_cast<int>(sizeof(T));
  static constexpr int words = (bytes + 3) / 4;
  u32 word[words];

  RS_MEMBER T element(int k) const {
    if constexpr (sizeof(T) == 8) {
      return __builtin_bit_cast(T, static_cast<u64>(word[2 * k + 1]) << 32 | word[2 * k]);
    } else if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(T, word[k]);
    } else if constexpr (sizeof(T) == 2) {
      return __builtin_bit_cast(T, static_cast<u16>(k % 2 ? word[k / 2] >> 16 : word[k / 2]));
    } else {
      return __builtin_bit_cast(T, static_cast<u8>(word[k / 4] >> k % 4 * 8));
    }
  }

  RS_MEMBER void set_element(int k, T v) {
    if constexpr (sizeof(T) == 8) {
      const u64 bits = __builtin_bit_cast(u64, v);
      word[2 * k] = static_cast<u32>(bits);
      word[2 * k + 1] = static_cast<u32>(bits >> 32);
    } else if constexpr (sizeof(T) == 4) {
      word[k] = __builtin_bit_cast(u32, v);
    } else if constexpr (sizeof(T) == 2) {
      const u32 bits = __builtin_bit_cast(u16, v);
      word[k / 2] = k % 2 ? (word[k / 2] & 0xffffu) | bits << 16 : (word[k / 2] & 0xffff0000u) | bits;
    } else {
      const int shift = k % 4 * 8;
      word[k / 4] = (word[k / 4] & ~(0xffu << shift)) | static_cast<u32>(__builtin_bit_cast(u8, v)) << shift;
    }
  }
};

template <class T, int N>
RS_DEVICE pack<N> unpack(const stored_pack<T, N>& s) {
  pack<N> r;
  RS_UNROLL
  for (int k = 0; k < N; ++k) r.v[k] = to_float(s.element(k));
  return r;
}

template <class T, int N>
RS_DEVICE stored_pack<T, N> stored(const pack<N>& p) {
  stored_pack<T, N> r;
  if constexpr (sizeof(T) == 4) {
    RS_UNROLL
    for (int k = 0; k < N; ++k) r.word[k] = as_bits(p.v[k]);
  } else if constexpr (N == 1) {
    r.word[0] = storage<T>::of(p.v[0]).bits;
  } else {
    RS_UNROLL
    for (int k = 0; k < N / 2; ++k) r.word[k] = storage<T>::pair(p.v[2 * k], p.v[2 * k + 1]);
  }
  return r;
}

// The widest access for Bytes bytes at addresses that are multiples of Align.
RS_DEVICE constexpr int access_bytes(int bytes, int align) {
  int a = bytes < 16 ? bytes : 16;
  return a < align ? a : align;
}

template <int Align, reuse Reuse, class T, int N>
RS_DEVICE void load_pack(stored_pack<T, N>& to, const T* from) {
  constexpr int step = access_bytes(stored_pack<T, N>::bytes, Align);
  if constexpr (step >= 4) {
    RS_UNROLL
    for (int b = 0; b < to.bytes; b += step) {
      load_words<step, Reuse>(to.word + b / 4, reinterpret_cast<const u8*>(from) + b);
    }
  } else {
    RS_UNROLL
    for (int b = 0; b < to.bytes; b += step) {
      u32 bits = 0;
      load_words<step, Reuse>(&bits, reinterpret_cast<const u8*>(from) + b);
      to.word[b / 4] = b % 4 ? to.word[b / 4] | bits << b % 4 * 8 : bits;
    }
  }
}

template <int Align, reuse Reuse = reuse::once, class T, int N>
RS_DEVICE void store_pack(T* to, const stored_pack<T, N>& from) {
  constexpr int step = access_bytes(stored_pack<T, N>::bytes, Align);
  if constexpr (step >= 4) {
    RS_UNROLL
    for (int b = 0; b < from.bytes; b += step) {
      store_words<step, Reuse>(reinterpret_cast<u8*>(to) + b, from.word + b / 4);
    }
  } else {
    RS_UNROLL
    for (int b = 0; b < from.bytes; b += step) {
      const u32 bits = b % 4 ? from.word[b / 4] >> b % 4 * 8 : from.word[b / 4];
      store_words<step, Reuse>(reinterpret_cast<u8*>(to) + b, &bits);
    }
  }
}

// A whole number, a row's index.
template <class T>
RS_DEVICE T load_whole(const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "an index is an i32 or an i64");
  u32 word[sizeof(T) / 4];
  load_words<sizeof(T), reuse::again>(word, from);
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(word[0]);
  } else {
    return static_cast<T>(static_cast<u64>(word[1]) << 32 | word[0]);
  }
}

}  // namespace rs
