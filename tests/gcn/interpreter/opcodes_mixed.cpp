// fma_mix and mad_mix: a multiply-add of floats whose sources may each be a half. op_sel_hi says which sources are
// halves, op_sel which half of the register. Dot products of halves and bytes are here as well.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

lanes_f32 source(executor& e, const instruction& i, int n, lanes_of<float>& into) {
  const operand& o = i.source[n];
  const bool half = i.high_half_above >> n & 1, high = i.high_half >> n & 1;
  if (!half) {
    return e.f32(i, n);
  }
  const lanes32 from = e.raw(i, n);
  const int shift = high ? 16 : 0;
  const u32 keep = o.absolute ? 0x7fff : 0xffff, flip = o.negate ? 0x8000 : 0;
  each_lane([&](int l) { into.at[l] = half_to_float((from.at[l] >> shift & keep) ^ flip); });
  return {into.at, high ? from.high : from.low};
}

// Fused or with two roundings; the result a float, a low half or a high half. The other half stays.
enum class into { f32, low_half, high_half };

template <auto F, into To>
void mix(executor& e, const instruction& i) {
  lanes_of<float> converted[3];
  const lanes_f32 a = source(e, i, 0, converted[0]), b = source(e, i, 1, converted[1]),
                  c = source(e, i, 2, converted[2]);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = as_u32(F(a.at[l], b.at[l], c.at[l])); });
  const u64 defined = a.defined & b.defined & c.defined;
  if constexpr (To == into::f32) return e.put_f32(i, r, defined);
  const int at = i.result[0].index;
  const u32* was = e.w().v[at];
  each_lane([&](int l) {
    float x = as_f32(r[l]);
    if (i.clamp) x = x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
    const u32 half = float_to_half(x);
    r[l] = To == into::low_half ? (was[l] & 0xffff0000u) | half : (was[l] & 0xffffu) | half << 16;
  });
  const u64 low = e.w().low_written[at], high = e.w().high_written[at];
  To == into::low_half ? e.put(i, r, defined, high) : e.put(i, r, low, defined);
}

constexpr auto fused = [](float a, float b, float c) { return std::fma(a, b, c); };
constexpr auto two_roundings = [](float a, float b, float c) { return flush(flush(flush(a) * flush(b)) + flush(c)); };

// The products of halves, summed in floats onto source 2.
void dot2(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1);
  const lanes_f32 c = e.f32(i, 2);
  u32* r = e.scratch();
  each_lane([&](int l) {
    const float low = half_to_float(a.at[l] & 0xffff) * half_to_float(b.at[l] & 0xffff);
    const float high = half_to_float(a.at[l] >> 16) * half_to_float(b.at[l] >> 16);
    r[l] = as_u32(high + (low + c.at[l]));
  });
  e.put_f32(i, r, a.defined() & b.defined() & c.defined);
}

}  // namespace

void add_mixed_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  constexpr literal f32 = literal::f32;
  const opcode group[] = {
      {"v_fma_mix_f32", k, 1, mix<fused, into::f32>, f32, true},
      {"v_fma_mixlo_f16", k, 1, mix<fused, into::low_half>, f32, true},
      {"v_fma_mixhi_f16", k, 1, mix<fused, into::high_half>, f32, true},
      {"v_mad_mix_f32", k, 1, mix<two_roundings, into::f32>, f32, true},
      {"v_mad_mixlo_f16", k, 1, mix<two_roundings, into::low_half>, f32, true},
      {"v_mad_mixhi_f16", k, 1, mix<two_roundings, into::high_half>, f32, true},
      {"v_dot2_f32_f16", k, 1, dot2},
      {"v_dot2c_f32_f16", k, 1, dot2},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
