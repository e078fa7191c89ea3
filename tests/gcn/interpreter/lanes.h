// lanes: the 64 lanes of a wave as plain arrays, and the loop over them that compilers turn into vector code.
#pragma once

#include <bit>
#include <cstdint>

namespace rowsmith::gcn {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr int k_lanes = 64;
constexpr u64 k_every_lane = ~u64{0};

template <class T>
struct alignas(64) lanes_of {
  T at[k_lanes];
};

// f(lane) for every lane. ivdep: a result may lie over a source, but always lane on lane.
template <class F>
inline void each_lane(F&& f) {
#pragma GCC ivdep
  for (int l = 0; l < k_lanes; ++l) f(l);
}

// f(lane) for the lanes of a mask, the lowest first.
template <class F>
inline void each_of(u64 mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

// One bit a lane.
template <class F>
inline u64 lane_mask(F&& f) {
  alignas(64) u8 truth[k_lanes];
  each_lane([&](int l) { truth[l] = f(l) ? 1 : 0; });
  u64 mask = 0;
  for (int l = 0; l < k_lanes; l += 8) {
    u64 eight;
    __builtin_memcpy(&eight, truth + l, 8);
    mask |= ((eight * 0x0102040810204080u) >> 56) << l;  // gathers the low bit of each byte
  }
  return mask;
}

inline float as_f32(u32 bits) { return std::bit_cast<float>(bits); }
inline u32 as_u32(float value) { return std::bit_cast<u32>(value); }
inline double as_f64(u64 bits) { return std::bit_cast<double>(bits); }
inline u64 as_u64(double value) { return std::bit_cast<u64>(value); }

}  // namespace rowsmith::gcn
