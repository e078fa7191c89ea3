// Vector arithmetic of 32-bit floats.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

// Minimum, maximum, median: in IEEE mode a signaling NaN is answered by its quiet self.
template <int N, auto F>
void extreme_op(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0), b = e.f32(i, 1), c = N > 2 ? e.f32(i, 2) : a;
  float* r = reinterpret_cast<float*>(e.scratch());
  apply<N, F>(r, a.at, b.at, c.at);
  if (e.mode().ieee) {
    each_lane([&](int l) {
      if (N > 2 && is_signaling(c.at[l])) r[l] = quiet(c.at[l]);
      if (is_signaling(b.at[l])) r[l] = quiet(b.at[l]);
      if (is_signaling(a.at[l])) r[l] = quiet(a.at[l]);
    });
  }
  e.put_f32(i, e.scratch(), a.defined & b.defined & c.defined);
}

void ldexp(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0);
  const lanes32 by = e.raw(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = as_u32(std::ldexp(a.at[l], static_cast<i32>(by.at[l]))); });
  e.put_f32(i, r, a.defined & by.defined());
}

void exponent(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) {
    int exponent = 0;
    if (std::isfinite(a.at[l])) std::frexp(a.at[l], &exponent);
    r[l] = static_cast<u32>(exponent);
  });
  e.put(i, r, a.defined);
}

constexpr auto multiply_add = [](float a, float b, float c) {  // v_mad and v_mac: two roundings, no denormals ever
  return flush(flush(flush(a) * flush(b)) + flush(c));
};
constexpr auto fused = [](float a, float b, float c) { return std::fma(a, b, c); };
// Zero times anything is zero.
constexpr auto legacy_product = [](float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; };
constexpr auto fraction = [](float a) {
  const float f = a - std::floor(a);
  return f >= 1 ? 0x1.fffffep-1f : f;  // below one even where the difference rounds up
};

}  // namespace

void add_float_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  const opcode group[] = {
      {"v_add_f32", k, 1, f32_op<2, [](float a, float b) { return a + b; }>},
      {"v_sub_f32", k, 1, f32_op<2, [](float a, float b) { return a - b; }>},
      {"v_subrev_f32", k, 1, f32_op<2, [](float a, float b) { return b - a; }>},
      {"v_mul_f32", k, 1, f32_op<2, [](float a, float b) { return a * b; }>},
      {"v_mul_legacy_f32", k, 1, f32_op<2, legacy_product>},
      {"v_min_f32", k, 1, extreme_op<2, lesser_of>},
      {"v_max_f32", k, 1, extreme_op<2, greater_of>},
      {"v_min3_f32", k, 1, extreme_op<3, [](float a, float b, float c) { return lesser_of(lesser_of(a, b), c); }>},
      {"v_max3_f32", k, 1, extreme_op<3, [](float a, float b, float c) { return greater_of(greater_of(a, b), c); }>},
      {"v_med3_f32", k, 1, extreme_op<3, [](float a, float b, float c) { return median_of(a, b, c); }>},
      {"v_fma_f32", k, 1, f32_op<3, fused>},
      {"v_fmac_f32", k, 1, f32_op<3, fused>},
      {"v_fmamk_f32", k, 1, f32_op<3, fused>},
      {"v_fmaak_f32", k, 1, f32_op<3, fused>},
      {"v_mad_f32", k, 1, f32_op<3, multiply_add>},
      {"v_mac_f32", k, 1, f32_op<3, multiply_add>},
      {"v_madmk_f32", k, 1, f32_op<3, multiply_add>},
      {"v_madak_f32", k, 1, f32_op<3, multiply_add>},
      {"v_ldexp_f32", k, 1, ldexp},
      {"v_frexp_exp_i32_f32", k, 1, exponent},
      {"v_frexp_mant_f32", k, 1,
       f32_op<1,
              [](float a) {
                int exponent = 0;
                return std::isfinite(a) ? std::frexp(a, &exponent) : a;
              }>},
      {"v_rndne_f32", k, 1, f32_op<1, [](float a) { return std::nearbyint(a); }>},
      {"v_trunc_f32", k, 1, f32_op<1, [](float a) { return std::trunc(a); }>},
      {"v_floor_f32", k, 1, f32_op<1, [](float a) { return std::floor(a); }>},
      {"v_ceil_f32", k, 1, f32_op<1, [](float a) { return std::ceil(a); }>},
      {"v_fract_f32", k, 1, f32_op<1, fraction>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
