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

// N elements of T as they are stored, two 16-bit elements a word (the first in the lower half).
template <class T, int N>
struct stored_pack {
  static constexpr int bytes = N * static_cast<int>(sizeof(T));
  static constexpr int words = (bytes + 3) / 4;
  u32 word[words];

  RS_MEMBER T element(int k) const {
    if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(T, word[k]);
    } else {
      return __builtin_bit_cast(T, static_cast<u16>(k % 2 ? word[k / 2] >> 16 : word[k / 2]));
    }
  }

  RS_MEMBER void set_element(int k, T v) {
    if constexpr (sizeof(T) == 4) {
      word[k] = __builtin_bit_cast(u32, v);
    } else {
      const u32 bits = __builtin_bit_cast(u16, v);
      word[k / 2] = k % 2 ? (word[k / 2] & 0xffffu) | bits << 16 : (word[k / 2] & 0xffff0000u) | bits;
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
    for (int k = 0; k < N; ++k) {
      u32 bits = 0;
      load_words<sizeof(T), Reuse>(&bits, from + k);
      to.word[k / 2] = k % 2 ? to.word[k / 2] | bits << 16 : bits;
    }
  }
}

template <int Align, class T, int N>
RS_DEVICE void store_pack(T* to, const stored_pack<T, N>& from) {
  constexpr int step = access_bytes(stored_pack<T, N>::bytes, Align);
  if constexpr (step >= 4) {
    RS_UNROLL
    for (int b = 0; b < from.bytes; b += step) {
      store_words<step>(reinterpret_cast<u8*>(to) + b, from.word + b / 4);
    }
  } else {
    RS_UNROLL
    for (int k = 0; k < N; ++k) {
      const u32 bits = k % 2 ? from.word[k / 2] >> 16 : from.word[k / 2];
      store_words<sizeof(T)>(to + k, &bits);
    }
  }
}

}  // namespace rs
