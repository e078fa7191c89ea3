// Packed arithmetic: two halves, two short integers or (gfx90a) two floats at once. op_sel and op_sel_hi choose which
// half of each source the lower and the upper result are made from, neg_lo and neg_hi its sign.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

bool bit(u8 bits, int n) { return bits >> n & 1; }

// One half of source n, for the lower or the upper result.
struct halves {
  lanes_of<u32> at;
  u64 defined;
};
void take(executor& e, const instruction& i, int n, bool upper_result, halves& into) {
  const lanes32 from = e.raw(i, n);
  const bool high = bit(upper_result ? i.high_half_above : i.high_half, n);
  const int shift = high ? 16 : 0;
  each_lane([&](int l) { into.at.at[l] = from.at[l] >> shift & 0xffff; });
  into.defined = high ? from.high : from.low;
}

// F: from N arrays of halves, as u16 or as floats, to an array of 16-bit results.
template <int N, class F>
void both_halves(executor& e, const instruction& i, F&& f) {
  lanes_of<u32> result[2];
  u64 defined[2];
  halves source[3];
  for (int half = 0; half < 2; ++half) {
    defined[half] = k_every_lane;
    for (int n = 0; n < N; ++n) {
      take(e, i, n, half == 1, source[n]);
      defined[half] &= source[n].defined;
    }
    f(half == 1, source, result[half].at);
  }
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = (result[0].at[l] & 0xffff) | result[1].at[l] << 16; });
  e.put(i, r, defined[0], defined[1]);
}

u32 finished_half(const executor& e, const instruction& i, float value) {
  if (i.clamp)
    value = is_nan(value) ? (e.mode().clamp_nan ? 0.0f : value) : value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
  const u32 half = float_to_half(value);
  return e.mode().f16_denormal_results || (half & 0x7c00) != 0 ? half : half & 0x8000;
}

template <int N, auto F>
void pk_f16(executor& e, const instruction& i) {
  both_halves<N>(e, i, [&](bool upper, halves* source, u32* r) {
    lanes_of<float> x[3];
    for (int n = 0; n < N; ++n) {
      const u32 flip = bit(upper ? i.negate_high : i.negate_low, n) ? 0x8000 : 0;
      const bool keep = e.mode().f16_denormal_sources;
      each_lane([&](int l) {
        const float value = half_to_float(source[n].at.at[l] ^ flip);
        x[n].at[l] = keep ? value : flush_half(value);
      });
    }
    lanes_of<float> y;
    apply<N, F>(y.at, x[0].at, x[1].at, x[2].at);
    each_lane([&](int l) { r[l] = finished_half(e, i, y.at[l]); });
  });
}

template <int N, auto F>
void pk_u16(executor& e, const instruction& i) {
  both_halves<N>(
      e, i, [&](bool, halves* source, u32* r) { apply<N, F>(r, source[0].at.at, source[1].at.at, source[2].at.at); });
}

// Sums that clamp where the instruction says so.
template <auto F, bool Signed>
void pk_sum(executor& e, const instruction& i) {
  both_halves<2>(e, i, [&](bool, halves* source, u32* r) {
    const i32 least = Signed ? -32768 : 0, most = Signed ? 32767 : 65535;
    each_lane([&](int l) {
      const u32 a = source[0].at.at[l], b = source[1].at.at[l];
      const i32 exact =
          Signed ? F(static_cast<i16>(a), static_cast<i16>(b)) : F(static_cast<i32>(a), static_cast<i32>(b));
      r[l] = static_cast<u32>(!i.clamp ? exact : exact < least ? least : exact > most ? most : exact);
    });
  });
}

constexpr i32 as_signed(u32 value) { return static_cast<i16>(value); }

// Two floats, in pairs of registers. Both are computed before one is written: the result may lie over a source.
template <int N, auto F>
void pk_f32(executor& e, const instruction& i) {
  u32* const result[2] = {e.scratch(), e.scratch_high()};
  u64 defined[2] = {k_every_lane, k_every_lane};
  lanes_of<float> source[3];
  for (int half = 0; half < 2; ++half) {
    for (int n = 0; n < N; ++n) {
      const bool high = bit(half ? i.high_half_above : i.high_half, n) && !i.source[n].is_constant();
      const lanes32 from = e.raw(i, n, high ? 1 : 0);
      const u32 flip = bit(half ? i.negate_high : i.negate_low, n) ? 0x80000000u : 0;
      const bool keep = e.mode().f32_denormal_sources;
      each_lane([&](int l) {
        const float value = as_f32(from.at[l] ^ flip);
        source[n].at[l] = keep ? value : flush(value);
      });
      defined[half] &= from.defined();
    }
    apply<N, F>(reinterpret_cast<float*>(result[half]), source[0].at, source[1].at, source[2].at);
  }
  e.put_f32(i, result[0], defined[0], 0);
  e.put_f32(i, result[1], defined[1], 1);
}

}  // namespace

void add_packed_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  constexpr literal f16 = literal::f16;
  const opcode group[] = {
      {"v_pk_add_f16", k, 1, pk_f16<2, [](float a, float b) { return a + b; }>, f16},
      {"v_pk_mul_f16", k, 1, pk_f16<2, [](float a, float b) { return a * b; }>, f16},
      {"v_pk_fma_f16", k, 1, pk_f16<3, [](float a, float b, float c) { return half_to_float(half_fma(a, b, c)); }>,
       f16},
      {"v_pk_min_f16", k, 1, pk_f16<2, lesser_of>, f16},
      {"v_pk_max_f16", k, 1, pk_f16<2, greater_of>, f16},
      {"v_pk_add_u16", k, 1, pk_sum<[](i32 a, i32 b) { return a + b; }, false>},
      {"v_pk_sub_u16", k, 1, pk_sum<[](i32 a, i32 b) { return a - b; }, false>},
      {"v_pk_add_i16", k, 1, pk_sum<[](i32 a, i32 b) { return a + b; }, true>},
      {"v_pk_sub_i16", k, 1, pk_sum<[](i32 a, i32 b) { return a - b; }, true>},
      {"v_pk_mul_lo_u16", k, 1, pk_u16<2, [](u32 a, u32 b) { return a * b; }>},
      {"v_pk_mad_u16", k, 1, pk_u16<3, [](u32 a, u32 b, u32 c) { return a * b + c; }>},
      {"v_pk_mad_i16", k, 1, pk_u16<3, [](u32 a, u32 b, u32 c) { return a * b + c; }>},
      {"v_pk_min_u16", k, 1, pk_u16<2, [](u32 a, u32 b) { return a < b ? a : b; }>},
      {"v_pk_max_u16", k, 1, pk_u16<2, [](u32 a, u32 b) { return b < a ? a : b; }>},
      {"v_pk_min_i16", k, 1, pk_u16<2, [](u32 a, u32 b) { return as_signed(a) < as_signed(b) ? a : b; }>},
      {"v_pk_max_i16", k, 1, pk_u16<2, [](u32 a, u32 b) { return as_signed(b) < as_signed(a) ? a : b; }>},
      {"v_pk_lshlrev_b16", k, 1, pk_u16<2, [](u32 a, u32 b) { return b << (a & 15); }>},
      {"v_pk_lshrrev_b16", k, 1, pk_u16<2, [](u32 a, u32 b) { return (b >> (a & 15)); }>},
      {"v_pk_ashrrev_i16", k, 1, pk_u16<2, [](u32 a, u32 b) { return static_cast<u32>(as_signed(b) >> (a & 15)); }>},
      {"v_pk_add_f32", k, 1, pk_f32<2, [](float a, float b) { return a + b; }>},
      {"v_pk_mul_f32", k, 1, pk_f32<2, [](float a, float b) { return a * b; }>},
      {"v_pk_fma_f32", k, 1, pk_f32<3, [](float a, float b, float c) { return std::fma(a, b, c); }>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
