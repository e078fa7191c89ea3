// The host CPU. One thread owns a row and works on packs: native vectors of floats, the machine's own width.
//
// Three forms, chosen by what the compiler was told about the CPU (never by asking it here):
//   64 bytes  AVX-512 F, BW, VL     32 bytes  AVX2, FMA, F16C     16 bytes  any CPU, by vector operators alone
// Builtins stand where g++ 12 makes scalar code of the operator form; g++ and clang disagree on some of their names.
#pragma once

#define RS_DEVICE static inline __attribute__((always_inline))
#define RS_MEMBER inline __attribute__((always_inline))
#define RS_LAMBDA __attribute__((always_inline))
#define RS_KERNEL extern "C" __attribute__((visibility("default"))) void
#ifdef __clang__
#define RS_UNROLL _Pragma("unroll")
#define RS_UNROLL_BY(n) RS_PRAGMA(unroll n)
#else
#define RS_UNROLL _Pragma("GCC unroll 16")
#define RS_UNROLL_BY(n) RS_PRAGMA(GCC unroll n)
#endif
#define RS_PRAGMA(text) _Pragma(#text)

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define RS_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define RS_VECTOR_BYTES 32
#else
#define RS_VECTOR_BYTES 16
#endif

namespace rs {

typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;

// Storage types: bits that only load, store and the conversions below look into.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
struct b8 {  // a mask's element: true is any bit
  u8 bits;
};

constexpr int wave_size = 1;
constexpr int vector_bytes = RS_VECTOR_BYTES;
constexpr int pack_size = vector_bytes / 4;  // floats of a pack

// Vector types. The _at forms are what memory holds: aligned to an element only, and of any type's bytes.
typedef float pack __attribute__((vector_size(RS_VECTOR_BYTES)));
typedef i32 pack_mask __attribute__((vector_size(RS_VECTOR_BYTES)));  // -1 or 0 for each element
typedef u32 pack_bits __attribute__((vector_size(RS_VECTOR_BYTES)));
typedef u16 pack_half __attribute__((vector_size(RS_VECTOR_BYTES / 2)));
typedef u8 pack_quarter __attribute__((vector_size(RS_VECTOR_BYTES / 4)));
typedef short pack_half_signed __attribute__((vector_size(RS_VECTOR_BYTES / 2)));
typedef float quad __attribute__((vector_size(16)));
typedef float pack_at __attribute__((vector_size(RS_VECTOR_BYTES), aligned(4), may_alias));
typedef u16 pack_half_at __attribute__((vector_size(RS_VECTOR_BYTES / 2), aligned(2), may_alias));
typedef u8 pack_quarter_at __attribute__((vector_size(RS_VECTOR_BYTES / 4), aligned(1), may_alias));

RS_DEVICE float as_float(u32 v) { return __builtin_bit_cast(float, v); }
RS_DEVICE u32 as_bits(float v) { return __builtin_bit_cast(u32, v); }
RS_DEVICE pack as_float(pack_bits v) { return reinterpret_cast<pack>(v); }
RS_DEVICE pack_bits as_bits(pack v) { return reinterpret_cast<pack_bits>(v); }

// What machine/hip.h has to tell its compiler.
RS_DEVICE void keep_branch_apart() {}

RS_DEVICE pack splat(float a) { return a - pack{}; }  // a + 0 would lose the sign of -0
RS_DEVICE pack_mask element_number() {
  pack_mask n{};
  for (int i = 0; i < pack_size; ++i) n[i] = i;
  return n;
}

// ---- arithmetic: the same names for a float and for a pack ----

// A maximum. Where a or b is NaN the answer is b or NaN.
RS_DEVICE float vmax(float a, float b) { return a > b ? a : b; }
RS_DEVICE pack vmax(pack a, pack b) {
#if RS_VECTOR_BYTES == 64 && defined(__clang__)
  return __builtin_ia32_maxps512(a, b, 4);
#elif RS_VECTOR_BYTES == 64
  return __builtin_ia32_maxps512_mask(a, b, a, static_cast<u16>(-1), 4);
#elif RS_VECTOR_BYTES == 32
  return __builtin_ia32_maxps256(a, b);
#elif defined(__SSE__)
  return __builtin_ia32_maxps(a, b);
#else
  return a > b ? a : b;
#endif
}

#if RS_VECTOR_BYTES != 16
RS_DEVICE quad vmax(quad a, quad b) { return __builtin_ia32_maxps(a, b); }
#endif

// A minimum, of the same kind.
RS_DEVICE float vmin(float a, float b) { return a < b ? a : b; }
RS_DEVICE pack vmin(pack a, pack b) {
#if RS_VECTOR_BYTES == 64 && defined(__clang__)
  return __builtin_ia32_minps512(a, b, 4);
#elif RS_VECTOR_BYTES == 64
  return __builtin_ia32_minps512_mask(a, b, a, static_cast<u16>(-1), 4);
#elif RS_VECTOR_BYTES == 32
  return __builtin_ia32_minps256(a, b);
#elif defined(__SSE__)
  return __builtin_ia32_minps(a, b);
#else
  return a < b ? a : b;
#endif
}

RS_DEVICE float vabs(float a) { return __builtin_fabsf(a); }
RS_DEVICE pack vabs(pack a) { return as_float(as_bits(a) & 0x7fffffffu); }

RS_DEVICE float select(bool c, float a, float b) { return c ? a : b; }
RS_DEVICE pack select(pack_mask c, pack a, pack b) { return c ? a : b; }

// a * b + c, rounded once, on every machine.
RS_DEVICE float vfma(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(static_cast<double>(a) * b +
                            c);  // the product is exact; the sum may round twice, by 2^-29 more
#endif
}
RS_DEVICE pack vfma(pack a, pack b, pack c) {
#if RS_VECTOR_BYTES == 64
  return __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<u16>(-1), 4);
#elif RS_VECTOR_BYTES == 32
  return __builtin_ia32_vfmaddps256(a, b, c);
#else
  // As above, four doubles at a time.
  typedef double wide __attribute__((vector_size(2 * RS_VECTOR_BYTES)));
  return __builtin_convertvector(
      __builtin_convertvector(a, wide) * __builtin_convertvector(b, wide) + __builtin_convertvector(c, wide), pack);
#endif
}

// a * b + c for polynomials: one operation where the machine has it, else two.
RS_DEVICE float multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return vfma(a, b, c);
#else
  return a * b + c;
#endif
}
RS_DEVICE pack multiply_add(pack a, pack b, pack c) {
#if RS_VECTOR_BYTES >= 32
  return vfma(a, b, c);
#else
  return a * b + c;
#endif
}

RS_DEVICE float reciprocal(float a) { return 1.0f / a; }
RS_DEVICE pack reciprocal(pack a) { return 1.0f / a; }
// max(x, bound), NaN for NaN: the instruction gives its second operand then.
template <class T>
RS_DEVICE T at_least(T x, T bound) {
  return vmax(bound, x);
}

RS_DEVICE float vsqrt(float a) { return __builtin_sqrtf(a); }
RS_DEVICE pack vsqrt(pack a) {
#if RS_VECTOR_BYTES == 64 && defined(__clang__)
  return __builtin_ia32_sqrtps512(a, 4);
#elif RS_VECTOR_BYTES == 64
  return __builtin_ia32_sqrtps512_mask(a, a, static_cast<u16>(-1), 4);
#elif RS_VECTOR_BYTES == 32
  return __builtin_ia32_sqrtps256(a);
#elif defined(__SSE__)
  return __builtin_ia32_sqrtps(a);
#else
  for (int i = 0; i < pack_size; ++i) a[i] = __builtin_sqrtf(a[i]);
  return a;
#endif
}
template <class T>
RS_DEVICE T vrsqrt(T a) {
  return 1.0f / vsqrt(a);
}

// 2^f for |f| <= 1/2, relative error about 2^-23: Horner's rule, minimax coefficients with the constant held at 1.
RS_DEVICE pack exp2_near_zero(pack f) {
  pack p = multiply_add(splat(1.534581201e-04f), f, splat(1.339993122e-03f));
  p = multiply_add(p, f, splat(9.618488957e-03f));
  p = multiply_add(p, f, splat(5.550328777e-02f));
  p = multiply_add(p, f, splat(2.402264689e-01f));
  p = multiply_add(p, f, splat(6.931472057e-01f));
  return multiply_add(p, f, splat(1.0f));
}

// 2^x. NaN gives NaN, -inf exactly 0, +inf gives +inf. Results below 2^-126 may be 0, above 2^127.5 infinite.
RS_DEVICE pack vexp2(pack x) {
#if RS_VECTOR_BYTES == 64
  // Round to a whole number, scale by its power: both take infinities and NaN as they come.
  const pack n = __builtin_ia32_rndscaleps_mask(x, 8, x, static_cast<u16>(-1), 4);
  // inf - inf is NaN, and scaling NaN by 2^-inf gives 0, by 2^+inf gives inf: as wanted.
  return __builtin_ia32_scalefps512_mask(exp2_near_zero(x - n), n, n, static_cast<u16>(-1), 4);
#else
  // The lower bound becomes exponent bits of 0, hence a factor of 0. A NaN in x passes both bounds.
  x = vmax(splat(-127.0f), x);
  x = x > 128.0f ? splat(128.0f) : x;
  const pack shifted = x + 0x1.8p23f;  // its low bits are x rounded to a whole number
  const pack_mask n = reinterpret_cast<pack_mask>(shifted) - 0x4b400000;
  return exp2_near_zero(x - (shifted - 0x1.8p23f)) * reinterpret_cast<pack>((n + 127) << 23);
#endif
}
RS_DEVICE float vexp2(float x) { return vexp2(splat(x))[0]; }

// Op over the elements of a pack: quarters of it together, then the four elements. A fixed tree.
template <class Op>
RS_DEVICE float across(pack v) {
  union {
    pack whole;
    quad part[vector_bytes / 16];
  } u = {v};
  for (int n = vector_bytes / 32; n > 0; n /= 2) {
    for (int i = 0; i < n; ++i) u.part[i] = Op::of(u.part[i], u.part[i + n]);
  }
  const quad a = u.part[0], b = Op::of(a, quad{a[2], a[3], a[0], a[1]});
  return Op::of(b[0], b[1]);
}

// f applied to packs: on this machine a pack is a value like a float.
template <class F, class... P>
RS_DEVICE pack apply(F f, P... p) {
  return f(p...);
}

// ---- conversions: to nearest even; NaN stays NaN and quiet; subnormals exact, also under flush-to-zero ----

RS_DEVICE pack_bits widen(pack_half h) {
#if RS_VECTOR_BYTES == 64 && !defined(__clang__)
  return reinterpret_cast<pack_bits>(
      __builtin_ia32_pmovzxwd512_mask(reinterpret_cast<pack_half_signed>(h), pack_mask{}, static_cast<u16>(-1)));
#else
  return __builtin_convertvector(h, pack_bits);
#endif
}

RS_DEVICE pack_half narrow(pack_bits w) {
#if RS_VECTOR_BYTES == 64 && !defined(__clang__)
  return reinterpret_cast<pack_half>(
      __builtin_ia32_pmovdw512_mask(reinterpret_cast<pack_mask>(w), pack_half_signed{}, static_cast<u16>(-1)));
#else
  return __builtin_convertvector(w, pack_half);
#endif
}

RS_DEVICE pack to_float(const f32*, pack v) { return v; }
RS_DEVICE pack to_float(const bf16*, pack_half h) { return reinterpret_cast<pack>(widen(h) << 16); }
RS_DEVICE pack to_float(const f16*, pack_half h) {
#if RS_VECTOR_BYTES == 64
  return __builtin_ia32_vcvtph2ps512_mask(reinterpret_cast<pack_half_signed>(h), pack{}, static_cast<u16>(-1), 4);
#elif RS_VECTOR_BYTES == 32
  return __builtin_ia32_vcvtph2ps256(reinterpret_cast<pack_half_signed>(h));
#else
  const pack_bits w = widen(h), sign = (w & 0x8000u) << 16, rest = w & 0x7fffu;
  const pack_bits normal = (rest << 13) + 0x38000000u;
  const pack_bits special = ((rest << 13) | 0x7f800000u) | (rest > 0x7c00u ? pack_bits{} + 0x400000u : pack_bits{});
  const pack_bits small =
      reinterpret_cast<pack_bits>(__builtin_convertvector(reinterpret_cast<pack_mask>(rest), pack) * 0x1p-24f);
  const pack_bits magnitude = rest < 0x400u ? small : rest >= 0x7c00u ? special : normal;
  return reinterpret_cast<pack>(magnitude | sign);
#endif
}

// 1 for true, 0 for false.
RS_DEVICE pack to_float(const b8*, pack_quarter q) {
#if RS_VECTOR_BYTES == 64 && !defined(__clang__)
  typedef char signed_quarter __attribute__((vector_size(16)));
  const pack_bits w = reinterpret_cast<pack_bits>(
      __builtin_ia32_pmovzxbd512_mask(reinterpret_cast<signed_quarter>(q), pack_mask{}, static_cast<u16>(-1)));
#else
  const pack_bits w = __builtin_convertvector(q, pack_bits);
#endif
  return w != 0u ? splat(1.0f) : pack{};
}

RS_DEVICE pack from_float(const f32*, pack v) { return v; }
RS_DEVICE pack_half from_float(const bf16*, pack v) {
  // Not the machine's own conversion: that one flushes subnormals.
  const pack_bits u = reinterpret_cast<pack_bits>(v);
  const pack_bits rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16, quiet = (u >> 16) | 0x40u;
  return narrow((u & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}
RS_DEVICE pack_half from_float(const f16*, pack v) {
#if RS_VECTOR_BYTES == 64
  return reinterpret_cast<pack_half>(__builtin_ia32_vcvtps2ph512_mask(v, 0, pack_half_signed{}, static_cast<u16>(-1)));
#elif RS_VECTOR_BYTES == 32
  return reinterpret_cast<pack_half>(__builtin_ia32_vcvtps2ph256(v, 0));
#else
  const pack_bits u = reinterpret_cast<pack_bits>(v), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
  // Adding 1/2 aligns a subnormal result with the end of the fraction, so that the addition rounds it.
  const pack_bits small = reinterpret_cast<pack_bits>(reinterpret_cast<pack>(a) + 0.5f) - 0x3f000000u;
  pack_bits h = (a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13;
  h = a < 0x38800000u ? small : h;
  h = a >= 0x47800000u ? pack_bits{} + 0x7c00u : h;
  h = a > 0x7f800000u ? ((a >> 13) & 0x3ffu) | 0x7e00u : h;
  return narrow(h | sign);
#endif
}

// x as storage type S holds it.
template <class S>
RS_DEVICE pack round_to(pack x) {
  const S* type = nullptr;
  return to_float(type, from_float(type, x));
}

// One element.
RS_DEVICE float to_float(f32 a) { return a; }
RS_DEVICE float to_float(f16 a) { return to_float(static_cast<const f16*>(nullptr), pack_half{} + a.bits)[0]; }
RS_DEVICE float to_float(b8 a) { return a.bits != 0 ? 1.0f : 0.0f; }
RS_DEVICE float to_float(bf16 a) { return __builtin_bit_cast(float, static_cast<u32>(a.bits) << 16); }
template <class T>
struct storage {
  static RS_MEMBER T of(float a) { return {from_float(static_cast<const T*>(nullptr), splat(a))[0]}; }
};
template <>
struct storage<f32> {
  static RS_MEMBER float of(float a) { return a; }
};

// ---- memory: whole packs, aligned to an element at least ----

RS_DEVICE pack load(const f32* p) { return *reinterpret_cast<const pack_at*>(p); }
RS_DEVICE pack load(const f16* p) { return to_float(p, *reinterpret_cast<const pack_half_at*>(p)); }
RS_DEVICE pack load(const bf16* p) { return to_float(p, *reinterpret_cast<const pack_half_at*>(p)); }
RS_DEVICE pack load(const b8* p) { return to_float(p, *reinterpret_cast<const pack_quarter_at*>(p)); }
RS_DEVICE void store(f32* p, pack v) { *reinterpret_cast<pack_at*>(p) = v; }
RS_DEVICE void store(f16* p, pack v) { *reinterpret_cast<pack_half_at*>(p) = from_float(p, v); }
RS_DEVICE void store(bf16* p, pack v) { *reinterpret_cast<pack_half_at*>(p) = from_float(p, v); }

// Past the caches. REQUIRES: p at a multiple of vector_bytes; fence_streamed() before anybody else reads it.
RS_DEVICE void store_streamed(f32* p, pack v) {
#if defined(__clang__)
  __builtin_nontemporal_store(v, reinterpret_cast<pack*>(p));
#elif RS_VECTOR_BYTES == 64
  __builtin_ia32_movntps512(p, v);
#elif RS_VECTOR_BYTES == 32
  __builtin_ia32_movntps256(p, v);
#elif defined(__SSE__)
  __builtin_ia32_movntps(p, v);
#else
  store(p, v);
#endif
}
RS_DEVICE void fence_streamed() {
#if defined(__SSE__)
  __builtin_ia32_sfence();
#endif
}

// Brings the line of p near. Any address is harmless.
RS_DEVICE void prefetch(const void* p) { __builtin_prefetch(p); }

// ---- memory: elements [first, end) of the pack at p; no other byte is touched. Elements not loaded are 0 ----

#if RS_VECTOR_BYTES == 64
RS_DEVICE u16 lane_bits(int first, int end) { return static_cast<u16>((0xffffu << first) & (0xffffu >> (16 - end))); }
RS_DEVICE pack load_part(const f32* p, int first, int end) {
  return __builtin_ia32_loadups512_mask(p, pack{}, lane_bits(first, end));
}
RS_DEVICE void store_part(f32* p, pack v, int first, int end) {
  __builtin_ia32_storeups512_mask(p, v, lane_bits(first, end));
}
#ifdef __clang__
typedef pack_half_signed half_memory;
#else
typedef short half_memory;
#endif
template <class T>
RS_DEVICE pack load_part(const T* p, int first, int end) {
  return to_float(p, reinterpret_cast<pack_half>(__builtin_ia32_loaddquhi256_mask(
                         reinterpret_cast<const half_memory*>(p), pack_half_signed{}, lane_bits(first, end))));
}
template <class T>
RS_DEVICE void store_part(T* p, pack v, int first, int end) {
  __builtin_ia32_storedquhi256_mask(reinterpret_cast<half_memory*>(p),
                                    reinterpret_cast<pack_half_signed>(from_float(p, v)), lane_bits(first, end));
}
#else
RS_DEVICE pack load_part(const f32* p, int first, int end) {
  pack v{};
  for (int i = first; i < end; ++i) v[i] = p[i];
  return v;
}
RS_DEVICE void store_part(f32* p, pack v, int first, int end) {
  for (int i = first; i < end; ++i) p[i] = v[i];
}
template <class T>
RS_DEVICE pack load_part(const T* p, int first, int end) {
  pack_half h{};
  for (int i = first; i < end; ++i) h[i] = p[i].bits;
  return to_float(p, h);
}
template <class T>
RS_DEVICE void store_part(T* p, pack v, int first, int end) {
  const pack_half h = from_float(p, v);
  for (int i = first; i < end; ++i) p[i].bits = h[i];
}
#endif
RS_DEVICE pack load_part(const b8* p, int first, int end) {
  pack_quarter q{};
  for (int i = first; i < end; ++i) q[i] = p[i].bits;
  return to_float(p, q);
}

}  // namespace rs
