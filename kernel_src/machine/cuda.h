// The machine of NVIDIA GPUs, as NVRTC sees it: no header of the toolkit is included. machine/hip.h and machine/host.h
// give the same names; row/, op/ and scalar/ are written on them alone.
#pragma once

#define RS_DEVICE __device__ __forceinline__
#define RS_MEMBER __device__ __forceinline__
#define RS_LAMBDA
#define RS_UNROLL _Pragma("unroll")
#define RS_PRAGMA(text) _Pragma(#text)
#define RS_UNROLL_BY(n) RS_PRAGMA(unroll n)
#define RS_SHARED __shared__
#define RS_DYNAMIC_SHARED(name) extern __shared__ __align__(128) rs::u8 name[]
// RS_KERNEL(threads) or RS_KERNEL(threads, blocks): the second bounds the registers so that so many blocks fit a
// multiprocessor.
#define RS_KERNEL(...) extern "C" __global__ void __launch_bounds__(__VA_ARGS__)
// Of a kernel's argument block: may be pointed to and indexed where it lies, without a copy in local memory.
#define RS_IN_PLACE __grid_constant__

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

inline constexpr int wave_size = 32;
inline constexpr bool has_bulk_copy = __CUDA_ARCH__ >= 900;

// --- threads ---

RS_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
RS_DEVICE int block_index() { return static_cast<int>(blockIdx.x); }
RS_DEVICE void barrier() { __syncthreads(); }

// What machine/hip.h has to tell its compiler: values that are the same in every lane of the wave, a thread's number
// for one turn of a loop over rows, and branches that stay two.
template <class T>
RS_DEVICE T wave_uniform(T v) {
  return v;
}
RS_DEVICE int of_this_turn(int thread) { return thread; }
RS_DEVICE void keep_branch_apart() {}

// --- arithmetic on one float ---

RS_DEVICE float as_float(u32 v) { return __uint_as_float(v); }
RS_DEVICE u32 as_bits(float v) { return __float_as_uint(v); }
RS_DEVICE float vmax(float a, float b) { return fmaxf(a, b); }
// max(x, bound), NaN for NaN.
RS_DEVICE float at_least(float x, float bound) {
#if __CUDA_ARCH__ >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(bound));
  return r;
#else
  return x < bound ? bound : x;
#endif
}
RS_DEVICE float vmin(float a, float b) { return fminf(a, b); }
RS_DEVICE float vfma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
RS_DEVICE float multiply_add(float a, float b, float c) { return vfma(a, b, c); }  // for polynomials
RS_DEVICE float vabs(float a) { return fabsf(a); }
// Zero, which the compiler cannot know, and not before the number `after` is known. recall(word, zero_after(v)) is word
// again: what is computed from it is computed anew after v rather than kept in registers since before. ptxas sees
// through every form that is free; this one costs an operation a word. (That NaN comes from no arithmetic; it would
// stay NaN.)
RS_DEVICE u32 zero_after(float after) {
  u32 r;
  asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, %1, 0xffbadbad;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(r)
               : "r"(as_bits(after)));
  return r;
}
RS_DEVICE u32 recall(u32 word, u32 zero) { return word ^ zero; }

RS_DEVICE float select(bool c, float a, float b) { return c ? a : b; }

// 2^x within 2 ulp; results below 2^-126 are 0.
RS_DEVICE float vexp2(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

// 1 / x within an ulp, for |x| in [2^-126, 2^126], 0, inf and NaN.
RS_DEVICE float reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

// Subnormals whole: within half an ulp, and within 2 ulp.
RS_DEVICE float vsqrt(float x) {
  float r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
RS_DEVICE float vrsqrt(float x) {
  float r;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

// --- storage types: exact from storage; to storage to nearest even, NaN quiet ---

RS_DEVICE float to_float(float v) { return v; }
RS_DEVICE float to_float(b8 v) { return v.bits != 0 ? 1.0f : 0.0f; }
RS_DEVICE float to_float(bf16 v) { return as_float(static_cast<u32>(v.bits) << 16); }
RS_DEVICE float to_float(f16 v) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.bits));
  return r;
}

template <class T>
struct storage;

template <>
struct storage<float> {
  static RS_MEMBER float of(float v) { return v; }
};

template <>
struct storage<f16> {
  static RS_MEMBER f16 of(float v) {
    f16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
    return r;
  }
  // Two at once, `low` in the lower half of the word.
  static RS_MEMBER u32 pair(float low, float high) {
#if __CUDA_ARCH__ >= 800
    u32 r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
#else
    return of(low).bits | static_cast<u32>(of(high).bits) << 16;
#endif
  }
};

template <>
struct storage<bf16> {
  static RS_MEMBER bf16 of(float v) {
#if __CUDA_ARCH__ >= 800
    bf16 r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
    return r;
#else
    const u32 u = as_bits(v);
    const u32 rounded = u + 0x7fffu + (u >> 16 & 1u);
    return {static_cast<u16>((v != v ? u | 0x400000u : rounded) >> 16)};
#endif
  }
  static RS_MEMBER u32 pair(float low, float high) {
#if __CUDA_ARCH__ >= 800
    u32 r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
#else
    return of(low).bits | static_cast<u32>(of(high).bits) << 16;
#endif
  }
};

// --- global memory: one access of Bytes bytes, aligned to as many ---

// How long a line is wanted: `again` is for data that the block reads a second time; `last` lets it leave the caches
// first, where room is wanted for such data. What is read or written `once` is not marked: an H200 moves 2-5 % more of
// it so. After a copy by the driver, marked loads are slow until unmarked ones have come (docs/tuning.md).
enum class reuse { once, again, last };

template <int Bytes, reuse Reuse>
RS_DEVICE void load_words(u32* to, const void* from) {
  if constexpr (Reuse != reuse::last) {
    if constexpr (Bytes == 16) {
      asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                   : "l"(from));
    } else if constexpr (Bytes == 8) {
      asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "l"(from));
    } else if constexpr (Bytes == 4) {
      asm volatile("ld.global.u32 %0, [%1];" : "=r"(to[0]) : "l"(from));
    } else if constexpr (Bytes == 2) {
      asm volatile("ld.global.u16 %0, [%1];" : "=r"(to[0]) : "l"(from));
    } else {
      asm volatile("ld.global.u8 %0, [%1];" : "=r"(to[0]) : "l"(from));
    }
  } else {
    if constexpr (Bytes == 16) {
      asm volatile("ld.global.cs.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                   : "l"(from));
    } else if constexpr (Bytes == 8) {
      asm volatile("ld.global.cs.v2.u32 {%0,%1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "l"(from));
    } else if constexpr (Bytes == 4) {
      asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(to[0]) : "l"(from));
    } else if constexpr (Bytes == 2) {
      asm volatile("ld.global.cs.u16 %0, [%1];" : "=r"(to[0]) : "l"(from));
    } else {
      asm volatile("ld.global.cs.u8 %0, [%1];" : "=r"(to[0]) : "l"(from));
    }
  }
}

template <int Bytes, reuse Reuse>
RS_DEVICE void store_words(void* to, const u32* from) {
  if constexpr (Reuse != reuse::last) {
    if constexpr (Bytes == 16) {
      asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(from[0]), "r"(from[1]), "r"(from[2]),
                   "r"(from[3])
                   : "memory");
    } else if constexpr (Bytes == 8) {
      asm volatile("st.global.v2.u32 [%0], {%1,%2};" ::"l"(to), "r"(from[0]), "r"(from[1]) : "memory");
    } else if constexpr (Bytes == 4) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(from[0]) : "memory");
    } else if constexpr (Bytes == 2) {
      asm volatile("st.global.u16 [%0], %1;" ::"l"(to), "h"(static_cast<u16>(from[0])) : "memory");
    } else {
      asm volatile("st.global.u8 [%0], %1;" ::"l"(to), "r"(from[0]) : "memory");
    }
  } else {
    if constexpr (Bytes == 16) {
      asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(from[0]), "r"(from[1]), "r"(from[2]),
                   "r"(from[3])
                   : "memory");
    } else if constexpr (Bytes == 8) {
      asm volatile("st.global.cs.v2.u32 [%0], {%1,%2};" ::"l"(to), "r"(from[0]), "r"(from[1]) : "memory");
    } else if constexpr (Bytes == 4) {
      asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(to), "r"(from[0]) : "memory");
    } else if constexpr (Bytes == 2) {
      asm volatile("st.global.cs.u16 [%0], %1;" ::"l"(to), "h"(static_cast<u16>(from[0])) : "memory");
    } else {
      asm volatile("st.global.cs.u8 [%0], %1;" ::"l"(to), "r"(from[0]) : "memory");
    }
  }
}

// A whole number, as it is read once by everybody of a row.
template <class Number>
RS_DEVICE i64 load_number(const Number* from) {
  return *from;
}

// Puts `v` at `at` and gives what was there, as one step among all threads of the device.
RS_DEVICE i64 exchange(i64* at, i64 v) {
  return static_cast<i64>(atomicExch(reinterpret_cast<u64*>(at), static_cast<u64>(v)));
}

// 16 bytes into shared memory and out of it.
RS_DEVICE void store_shared16(void* to, const u32* from) {
  *static_cast<uint4*>(to) = make_uint4(from[0], from[1], from[2], from[3]);
}
RS_DEVICE void load_shared16(u32* to, const void* from) {
  const uint4 v = *static_cast<const uint4*>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

// --- waves ---

// Is v true in any lane? All lanes of the wave take part.
RS_DEVICE bool wave_any(bool v) { return __any_sync(0xffffffffu, v) != 0; }

// Op over each group of Lanes consecutive lanes (a power of two); every lane gets the result, the same bits. All lanes
// of the wave take part.
template <int Lanes, class Op>
RS_DEVICE float wave_reduce(float v) {
  RS_UNROLL
  for (int step = Lanes / 2; step > 0; step /= 2) v = Op::of(v, __shfl_xor_sync(0xffffffffu, v, step));
  return v;
}

// --- bulk copies between global and shared memory (sm_90+): 16-byte aligned, a multiple of 16 bytes ---

#if __CUDA_ARCH__ >= 900
#define RS_BULK_COPY 1

RS_DEVICE u32 shared_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

// Counts the bytes of the bulk loads that are to fill a buffer. One thread arms it for each filling.
struct bulk_barrier {
  u64 word;

  RS_MEMBER void init() { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&word)) : "memory"); }

  RS_MEMBER void expect(u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&word)), "r"(bytes)
                 : "memory");
  }

  // Waits for the filling whose number has this parity.
  RS_MEMBER void wait(u32 parity) {
    asm volatile(
        "{\n.reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" ::"r"(shared_address(&word)),
        "r"(parity)
        : "memory");
  }
};

// After the barriers' init, before any other thread or a copy uses them.
RS_DEVICE void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

RS_DEVICE void bulk_load(void* to, const void* from, u32 bytes, bulk_barrier* done) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(&done->word))
               : "memory");
}

// One group of its own: bulk_store_drained waits until the shared memory of every store may be overwritten.
RS_DEVICE void bulk_store(void* to, const void* from, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
RS_DEVICE void bulk_store_drained() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
RS_DEVICE void bulk_store_done() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// Between a thread's own writes to shared memory and a bulk store of them by a thread behind a barrier.
RS_DEVICE void bulk_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// --- clusters: blocks that run together and see each other's shared memory ---

RS_DEVICE u32 cluster_rank() {
  u32 r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

// A barrier of all threads of all blocks of the cluster, in two halves: what was written to shared memory before the
// arrival is seen behind the wait.
// Lanes that parted before meet again first: a wave arrives, and waits, as one.
RS_DEVICE void cluster_arrive() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
RS_DEVICE void cluster_wait() {
  __syncwarp();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Writes to the same place in another block's shared memory.
RS_DEVICE void store_to_peer(float* mine, u32 rank, float value) {
  asm volatile(
      "{\n.reg .u32 theirs;\n"
      "mapa.shared::cluster.u32 theirs, %0, %1;\n"
      "st.shared::cluster.f32 [theirs], %2;\n}" ::"r"(shared_address(mine)),
      "r"(rank), "f"(value)
      : "memory");
}
#endif

}  // namespace rs
