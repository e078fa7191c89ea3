// The machine of AMD GPUs and of Hygon's DCU, as hipRTC sees it: no header at all. The same names as machine/cuda.h.
//
// Nothing here reads the dispatch packet or a runtime library: block sizes are constants, the grid is an argument.
#pragma once

#define RS_DEVICE __attribute__((device)) inline __attribute__((always_inline))
#define RS_MEMBER __attribute__((device)) inline __attribute__((always_inline))
#define RS_LAMBDA
#define RS_UNROLL _Pragma("unroll")
#define RS_PRAGMA(text) _Pragma(#text)
#define RS_UNROLL_BY(n) RS_PRAGMA(unroll n)
#define RS_SHARED __attribute__((shared))
#define RS_DYNAMIC_SHARED(name) extern __attribute__((shared)) __attribute__((aligned(128))) rs::u8 name[]

// RS_KERNEL(threads) or RS_KERNEL(threads, blocks); the second is NVIDIA's affair.
#define RS_KERNEL_OF(threads, ...) \
  extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(threads, threads))) void
#define RS_KERNEL(...) RS_KERNEL_OF(__VA_ARGS__, 1)
#define RS_IN_PLACE

namespace rs {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
struct b8 {  // a mask's element: true is any bit
  u8 bits;
};
using f32 = float;

// gfx8, gfx9 and the DCU's relatives of gfx9 run waves of 64; the compiler's own macro went away in its later versions.
#if defined(__AMDGCN_WAVEFRONT_SIZE__)
inline constexpr int wave_size = __AMDGCN_WAVEFRONT_SIZE__;
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
inline constexpr int wave_size = __AMDGCN_WAVEFRONT_SIZE;
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
inline constexpr int wave_size = 32;
#else
inline constexpr int wave_size = 64;
#endif
inline constexpr bool has_bulk_copy = false;

// --- threads ---

RS_DEVICE int thread_index() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()); }
RS_DEVICE int block_index() { return static_cast<int>(__builtin_amdgcn_workgroup_id_x()); }
RS_DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// A value that is the same in every lane of the wave, told to the compiler: it goes into a scalar register, and nothing
// else is known of it. In a loop over rows that keeps its number, and pointers made of it, from being stepped on in
// vector registers of 64 bits.
RS_DEVICE int wave_uniform(int v) { return __builtin_amdgcn_readfirstlane(v); }
RS_DEVICE i64 wave_uniform(i64 v) {
  const u32 low = static_cast<u32>(wave_uniform(static_cast<int>(v)));
  return static_cast<i64>(wave_uniform(static_cast<int>(v >> 32))) << 32 | low;
}
template <class T>
RS_DEVICE T* wave_uniform(T* p) {
  return reinterpret_cast<T*>(wave_uniform(reinterpret_cast<i64>(p)));
}

// A thread's number (of a wave or a block) for one turn of a loop over rows: what it reads is then a scalar base and an
// offset of 32 bits, computed beside the access. An offset from before the loop is taken for one of 64 bits.
RS_DEVICE int of_this_turn(int thread) {
  asm volatile("" : "+v"(thread));
  return thread & 1023;
}

// Stands at the end of a branch that stores where the other branch does, too. A compiler would make one store of the
// two, and of one made so it forgets that its lines are wanted once.
RS_DEVICE void keep_branch_apart() { asm volatile("" ::: "memory"); }

// --- arithmetic on one float ---

RS_DEVICE float as_float(u32 v) { return __builtin_bit_cast(float, v); }
RS_DEVICE u32 as_bits(float v) { return __builtin_bit_cast(u32, v); }
RS_DEVICE float vmax(float a, float b) { return __builtin_fmaxf(a, b); }
// max(x, bound), NaN for NaN.
RS_DEVICE float at_least(float x, float bound) { return x < bound ? bound : x; }
RS_DEVICE float vmin(float a, float b) { return __builtin_fminf(a, b); }
RS_DEVICE float vfma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
RS_DEVICE float multiply_add(float a, float b, float c) { return vfma(a, b, c); }  // for polynomials
RS_DEVICE float vabs(float a) { return __builtin_fabsf(a); }
RS_DEVICE float select(bool c, float a, float b) { return c ? a : b; }

// recall(word, zero_after(v)) is word again: what is computed from it is computed anew after v rather than kept in
// registers since before.
RS_DEVICE u32 zero_after(float after) { return as_bits(after); }
RS_DEVICE u32 recall(u32 word, u32 after) {
  asm volatile("" : "+v"(word) : "v"(after));
  return word;
}

// 2^x within an ulp; results below 2^-126 may be 0.
RS_DEVICE float vexp2(float x) {
#if __has_builtin(__builtin_amdgcn_exp2f)
  return __builtin_amdgcn_exp2f(x);
#else
  return __builtin_exp2f(x);
#endif
}

// 1 / x within an ulp, for |x| in [2^-126, 2^126], 0, inf and NaN.
RS_DEVICE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }

// Rounded to nearest: the instruction is within an ulp, so the root is that or a neighbour, and what is left of x
// beside their products tells which. It takes a subnormal number for 0: that is brought into range first. Of 0,
// infinities and NaN no comparison holds.
RS_DEVICE float vsqrt(float x) {
  const bool small = x < 0x1p-96f;
  const float a = small ? x * 0x1p32f : x;
  const float root = __builtin_amdgcn_sqrtf(a);
  const float below = as_float(as_bits(root) - 1), above = as_float(as_bits(root) + 1);
  float nearest = vfma(-below, root, a) <= 0.0f ? below : root;
  nearest = vfma(-above, root, a) > 0.0f ? above : nearest;
  return nearest * (small ? 0x1p-16f : 1.0f);
}
// Within an ulp, of subnormal numbers as well.
RS_DEVICE float vrsqrt(float x) {
  const bool small = x < 0x1p-100f;
  return __builtin_amdgcn_rsqf(small ? x * 0x1p32f : x) * (small ? 0x1p16f : 1.0f);
}

// --- storage types: exact from storage; to storage to nearest even, NaN quiet ---

RS_DEVICE float to_float(float v) { return v; }
RS_DEVICE float to_float(b8 v) { return v.bits != 0 ? 1.0f : 0.0f; }
RS_DEVICE float to_float(bf16 v) { return as_float(static_cast<u32>(v.bits) << 16); }
RS_DEVICE float to_float(f16 v) { return static_cast<float>(__builtin_bit_cast(_Float16, v.bits)); }

template <class T>
struct storage;

template <>
struct storage<float> {
  static RS_MEMBER float of(float v) { return v; }
};

// Does one instruction multiply, round to f16 and put the result into either half of a word? Compilers do not choose it
// by themselves. Targets by name: Hygon's assembler may not know the words, and from gfx940 on waits would have to
// stand before them.
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__)
#define RS_HAS_FMA_MIX
#endif

template <>
struct storage<f16> {
  static RS_MEMBER f16 of(float v) { return {__builtin_bit_cast(u16, static_cast<_Float16>(v))}; }

  // Two at once, `low` in the lower half of the word.
#ifdef RS_HAS_FMA_MIX
  static RS_MEMBER u32 pair(float low, float high) {
    u32 word;
    asm("v_fma_mixlo_f16 %0, %1, 1.0, neg(0)" : "=v"(word) : "v"(low));
    asm("v_fma_mixhi_f16 %0, %1, 1.0, neg(0)" : "+v"(word) : "v"(high));
    return word;
  }
  // Of two products, each rounded to a float before. -0 is the addend that leaves zeros their sign.
  static RS_MEMBER u32 pair_of_products(float low, float high, float factor) {
    u32 word;
    asm("v_fma_mixlo_f16 %0, %1, %2, neg(0)" : "=v"(word) : "v"(low), "v"(factor));
    asm("v_fma_mixhi_f16 %0, %1, %2, neg(0)" : "+v"(word) : "v"(high), "v"(factor));
    return word;
  }
#else
  static RS_MEMBER u32 pair(float low, float high) { return of(low).bits | static_cast<u32>(of(high).bits) << 16; }
#endif
};

template <>
struct storage<bf16> {
  static RS_MEMBER u32 rounded(float v) {
    const u32 u = as_bits(v);
    return v != v ? u | 0x400000u : u + 0x7fffu + (u >> 16 & 1u);
  }
  static RS_MEMBER bf16 of(float v) { return {static_cast<u16>(rounded(v) >> 16)}; }
  static RS_MEMBER u32 pair(float low, float high) { return rounded(low) >> 16 | (rounded(high) & 0xffff0000u); }
};

// --- global memory: one access of Bytes bytes, aligned to as many ---

#define RS_GLOBAL __attribute__((address_space(1)))

template <int Bytes>
struct access;
template <>
struct access<16> {
  typedef u32 type __attribute__((ext_vector_type(4)));
};
template <>
struct access<8> {
  typedef u32 type __attribute__((ext_vector_type(2)));
};
template <>
struct access<4> {
  using type = u32;
};
template <>
struct access<2> {
  using type = u16;
};
template <>
struct access<1> {
  using type = u8;
};

// How long a line is wanted: `again` is for data that the block reads a second time; what is read or written `once`, or
// for the `last` time, leaves the caches first.
enum class reuse { once, again, last };

template <int Bytes, reuse Reuse>
RS_DEVICE void load_words(u32* to, const void* from) {
  using T = typename access<Bytes>::type;
  const RS_GLOBAL T* p = (const RS_GLOBAL T*)from;
  T v;
  if constexpr (Reuse == reuse::again) {
    v = *p;
  } else {
    v = __builtin_nontemporal_load(p);
  }
  if constexpr (Bytes > 4) {
    RS_UNROLL
    for (int k = 0; k < Bytes / 4; ++k) to[k] = v[k];
  } else {
    to[0] = v;
  }
}

template <int Bytes, reuse>
RS_DEVICE void store_words(void* to, const u32* from) {
  using T = typename access<Bytes>::type;
  T v;
  if constexpr (Bytes > 4) {
    RS_UNROLL
    for (int k = 0; k < Bytes / 4; ++k) v[k] = from[k];
  } else {
    v = static_cast<T>(from[0]);
  }
  __builtin_nontemporal_store(v, (RS_GLOBAL T*)to);
}

// A whole number, as it is read once by everybody of a row.
template <class Number>
RS_DEVICE i64 load_number(const Number* from) {
  return *from;
}

// Puts `v` at `at` and gives what was there, as one step among all threads of the device.
RS_DEVICE i64 exchange(i64* at, i64 v) { return __atomic_exchange_n(at, v, __ATOMIC_RELAXED); }

// 16 bytes into shared memory and out of it.
RS_DEVICE void store_shared16(void* to, const u32* from) {
  access<16>::type v;
  RS_UNROLL
  for (int k = 0; k < 4; ++k) v[k] = from[k];
  *static_cast<access<16>::type*>(to) = v;
}
RS_DEVICE void load_shared16(u32* to, const void* from) {
  const access<16>::type v = *static_cast<const access<16>::type*>(from);
  RS_UNROLL
  for (int k = 0; k < 4; ++k) to[k] = v[k];
}

// --- waves ---

// The value of another lane of the row of 16, by DPP: an operand modifier, no trip through the LDS. Control words of
// gfx8 on: quad_perm 0x00-0xff, row_half_mirror 0x141, row_mirror 0x140; gfx8 and gfx9 alone: row_bcast:15 0x142,
// row_bcast:31 0x143.
template <int Control>
RS_DEVICE i32 dpp(i32 v) {
  return __builtin_amdgcn_mov_dpp(v, Control, 0xf, 0xf, true);
}

// A maximum is taken on integers in the order of the floats, so that DPP folds into it: a float maximum would first
// have to quiet its operands. Floats and their keys map to each other by the same function. No operand is NaN: max_of
// drops it.
RS_DEVICE i32 order_key(i32 bits) { return bits ^ static_cast<i32>(static_cast<u32>(bits >> 31) >> 1); }

template <class Op>
RS_DEVICE i32 combine(i32 a, i32 b) {
  if constexpr (Op::is_max) {
    return a > b ? a : b;
  } else {
    return __builtin_bit_cast(i32, Op::of(__builtin_bit_cast(float, a), __builtin_bit_cast(float, b)));
  }
}

// Is v true in this lane, or in one that has to take part in this one's exchanges? Lanes of a group agree, and
// exchanges inside a group want nothing of the others.
RS_DEVICE bool wave_any(bool v) { return v; }

// Op over each group of Lanes consecutive lanes (a power of two); every lane gets the result, the same bits. All lanes
// of the wave take part.
template <int Lanes, class Op>
RS_DEVICE float wave_reduce(float value) {
  i32 v = __builtin_bit_cast(i32, value);
  if constexpr (Op::is_max) v = order_key(v);
  if constexpr (Lanes >= 2) v = combine<Op>(v, dpp<0xb1>(v));    // lane ^ 1
  if constexpr (Lanes >= 4) v = combine<Op>(v, dpp<0x4e>(v));    // lane ^ 2
  if constexpr (Lanes >= 8) v = combine<Op>(v, dpp<0x141>(v));   // the other four of eight
  if constexpr (Lanes >= 16) v = combine<Op>(v, dpp<0x140>(v));  // the other eight of sixteen
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
  if constexpr (Lanes >= 32)
    v = combine<Op>(v, __builtin_amdgcn_permlanex16(v, v, 0x76543210, 0xfedcba98, false, false));
  static_assert(Lanes <= 32, "waves of 64 are planned for gfx9 and its relatives alone");
#else
  if constexpr (Lanes == 32) {
    v = combine<Op>(v, dpp<0x142>(v));  // lane 15 of each row to the next row: lanes 31 and 63 are complete
    const i32 lower = __builtin_amdgcn_readlane(v, 31), upper = __builtin_amdgcn_readlane(v, 63);
    v = (thread_index() & 32) != 0 ? upper : lower;
  } else if constexpr (Lanes == 64) {
    v = combine<Op>(v, dpp<0x142>(v));  // lane 15 of each row to the next row
    v = combine<Op>(v, dpp<0x143>(v));  // lane 31 to the upper half: lane 63 is complete
    v = __builtin_amdgcn_readlane(v, 63);
  }
#endif
  if constexpr (Op::is_max) v = order_key(v);
  return __builtin_bit_cast(float, v);
}

}  // namespace rs
