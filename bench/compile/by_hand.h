// A softmax of rows of 1024 f16 as a person would write it, with nothing it does not need: what a compile could cost.
#pragma once

namespace rowsmith::bench {

inline constexpr const char* softmax_by_hand = R"(
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float8 __attribute__((ext_vector_type(8)));
#define DEVICE static inline __attribute__((device, always_inline))

template <int Control>
DEVICE float moved(float v) {
  return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(__builtin_bit_cast(int, v), Control, 0xf, 0xf, true));
}
struct sum { static __attribute__((device)) float of(float a, float b) { return a + b; } };
struct most { static __attribute__((device)) float of(float a, float b) { return __builtin_fmaxf(a, b); } };
template <class Op>
DEVICE float of_wave(float v) {
  v = Op::of(v, moved<0xb1>(v));
  v = Op::of(v, moved<0x4e>(v));
  v = Op::of(v, moved<0x141>(v));
  v = Op::of(v, moved<0x140>(v));
  v = Op::of(v, moved<0x142>(v));
  v = Op::of(v, moved<0x143>(v));
  return __builtin_bit_cast(float, __builtin_amdgcn_readlane(__builtin_bit_cast(int, v), 63));
}

extern "C" __attribute__((global, amdgpu_flat_work_group_size(128, 128))) void k(const half8* x, half8* y, int rows) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int row = __builtin_amdgcn_workgroup_id_x() * 2 + __builtin_amdgcn_readfirstlane(thread >> 6);
  if (row >= rows) return;
  const long at = (long)row * 128 + (thread & 63);
  float8 a = __builtin_convertvector(__builtin_nontemporal_load(x + at), float8);
  float8 b = __builtin_convertvector(__builtin_nontemporal_load(x + at + 64), float8);
  float top = a[0], total = 0;
  for (int i = 0; i < 8; ++i) top = most::of(top, most::of(a[i], b[i]));
  top = of_wave<most>(top);
  for (int i = 0; i < 8; ++i) {
    a[i] = __builtin_exp2f((a[i] - top) * 0x1.715476p+0f);
    b[i] = __builtin_exp2f((b[i] - top) * 0x1.715476p+0f);
    total += a[i] + b[i];
  }
  const float factor = __builtin_amdgcn_rcpf(of_wave<sum>(total));
  __builtin_nontemporal_store(__builtin_convertvector(a * factor, half8), y + at);
  __builtin_nontemporal_store(__builtin_convertvector(b * factor, half8), y + at + 64);
}
)";

}  // namespace rowsmith::bench
