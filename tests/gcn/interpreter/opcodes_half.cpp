// Vector arithmetic of halves, one a lane. The two-source ones clear the upper half of their result, the three-source
// ones with op_sel leave it as it was.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

constexpr bool k_keeps = true;

template <bool Keeps>
void fused(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0), b = e.f16(i, 1), c = e.f16(i, 2);
  float* r = reinterpret_cast<float*>(e.scratch());
  each_lane([&](int l) { r[l] = half_to_float(half_fma(a.at[l], b.at[l], c.at[l])); });
  e.put_f16(i, r, a.defined & b.defined & c.defined, Keeps);
}

void ldexp(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0);
  const lanes32 by = e.u16_source(i, 1);
  float* r = reinterpret_cast<float*>(e.scratch());
  each_lane([&](int l) { r[l] = std::ldexp(a.at[l], static_cast<i16>(by.at[l])); });
  e.put_f16(i, r, a.defined & by.defined(), false);
}

void exponent(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) {
    int exponent = 0;
    if (std::isfinite(a.at[l])) std::frexp(a.at[l], &exponent);
    r[l] = static_cast<u32>(exponent) & 0xffff;
  });
  e.put16(i, r, a.defined, false);
}

void pack(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0), b = e.f16(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = float_to_half(a.at[l]) | float_to_half(b.at[l]) << 16; });
  e.put(i, r, a.defined, b.defined);
}

constexpr auto two_roundings = [](float a, float b, float c) {
  return flush_half(half_to_float(float_to_half(flush_half(a) * flush_half(b)))) + flush_half(c);
};

}  // namespace

void add_half_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  constexpr literal f16 = literal::f16;
  const opcode group[] = {
      {"v_add_f16", k, 1, f16_op<2, [](float a, float b) { return a + b; }>, f16},
      {"v_sub_f16", k, 1, f16_op<2, [](float a, float b) { return a - b; }>, f16},
      {"v_subrev_f16", k, 1, f16_op<2, [](float a, float b) { return b - a; }>, f16},
      {"v_mul_f16", k, 1, f16_op<2, [](float a, float b) { return a * b; }>, f16},
      {"v_min_f16", k, 1, f16_op<2, lesser_of>, f16},
      {"v_max_f16", k, 1, f16_op<2, greater_of>, f16},
      {"v_min3_f16", k, 1, f16_op<3, [](float a, float b, float c) { return lesser_of(lesser_of(a, b), c); }, k_keeps>,
       f16},
      {"v_max3_f16", k, 1,
       f16_op<3, [](float a, float b, float c) { return greater_of(greater_of(a, b), c); }, k_keeps>, f16},
      {"v_med3_f16", k, 1, f16_op<3, [](float a, float b, float c) { return median_of(a, b, c); }, k_keeps>, f16},
      {"v_fma_f16", k, 1, fused<k_keeps>, f16},
      {"v_fma_legacy_f16", k, 1, fused<false>, f16},
      {"v_fmac_f16", k, 1, fused<false>, f16},
      {"v_mad_f16", k, 1, f16_op<3, two_roundings, k_keeps>, f16},
      {"v_mad_legacy_f16", k, 1, f16_op<3, two_roundings>, f16},
      {"v_mac_f16", k, 1, f16_op<3, two_roundings>, f16},
      {"v_madmk_f16", k, 1, f16_op<3, two_roundings>, f16},
      {"v_madak_f16", k, 1, f16_op<3, two_roundings>, f16},
      {"v_pack_b32_f16", k, 1, pack, f16},
      {"v_ldexp_f16", k, 1, ldexp, f16},
      {"v_frexp_exp_i16_f16", k, 1, exponent, f16},
      {"v_frexp_mant_f16", k, 1,
       f16_op<1,
              [](float a) {
                int exponent = 0;
                return std::isfinite(a) ? std::frexp(a, &exponent) : a;
              }>,
       f16},
      {"v_rndne_f16", k, 1, f16_op<1, [](float a) { return std::nearbyint(a); }>, f16},
      {"v_trunc_f16", k, 1, f16_op<1, [](float a) { return std::trunc(a); }>, f16},
      {"v_floor_f16", k, 1, f16_op<1, [](float a) { return std::floor(a); }>, f16},
      {"v_ceil_f16", k, 1, f16_op<1, [](float a) { return std::ceil(a); }>, f16},
      {"v_fract_f16", k, 1, f16_op<1, [](float a) { return a - std::floor(a); }>, f16},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
