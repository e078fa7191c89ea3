// Float opcodes of all sizes against values worked out by hand: rounding, denormals, NaN, modifiers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "assembler.h"

namespace rowsmith::gcn::test {
namespace {

struct one_lane {
  const char* text;
  std::vector<std::uint32_t> inputs;
  std::uint32_t expected;
};
void expect_all(const std::vector<one_lane>& rows, bool flush = false, const std::string& arch = "gfx906") {
  for (const one_lane& row : rows) {
    lane_test t;
    t.arch = arch;
    t.flush_f32 = t.flush_f16 = flush;
    t.body = row.text;
    for (const std::uint32_t v : row.inputs) t.inputs.push_back(same(v));
    EXPECT_EQ(output_of(t)[17], row.expected) << row.text;
  }
}

constexpr std::uint32_t k_nan = 0x7fc00000, k_signaling = 0x7f800001, k_infinity = 0x7f800000,
                        k_minus_infinity = 0xff800000;

TEST(gcn_float, arithmetic) {
  expect_all({
      {"v_add_f32_e32 v10, v1, v2", {bits(1), bits(0x1p-24f)}, bits(1)},  // a tie, to even
      {"v_add_f32_e32 v10, v1, v2", {bits(0x1.000002p0f), bits(0x1p-24f)}, bits(0x1.000004p0f)},
      {"v_sub_f32_e32 v10, v1, v2", {bits(1), bits(3)}, bits(-2)},
      {"v_subrev_f32_e32 v10, v1, v2", {bits(1), bits(3)}, bits(2)},
      {"v_mul_f32_e32 v10, v1, v2", {bits(0x1p-126f), bits(0.5f)}, 0x00400000},  // denormals are kept
      {"v_mul_f32_e64 v10, -v1, |v2|", {bits(2), bits(-3)}, bits(-6)},
      {"v_mul_f32_e64 v10, v1, v2 mul:4", {bits(2), bits(3)}, bits(24)},
      {"v_add_f32_e64 v10, v1, v2 clamp", {bits(2), bits(3)}, bits(1)},
      {"v_add_f32_e64 v10, v1, v2 clamp", {k_nan, bits(3)}, 0},
      {"v_mul_legacy_f32_e32 v10, v1, v2", {0, k_infinity}, 0},
      {"v_fma_f32 v10, v1, v2, v3", {bits(0x1.000002p0f), bits(0x1.000002p0f), bits(-0x1.000004p0f)}, bits(0x1p-46f)},
      {"v_mad_f32 v10, v1, v2, v3", {bits(0x1.000002p0f), bits(0x1.000002p0f), bits(-0x1.000004p0f)}, 0},
      {"v_mov_b32_e32 v10, v3\nv_fmac_f32_e32 v10, v1, v2", {bits(2), bits(3), bits(4)}, bits(10)},
      {"v_mov_b32_e32 v10, v3\nv_mac_f32_e32 v10, v1, v2", {bits(2), bits(3), bits(4)}, bits(10)},
      {"v_madak_f32 v10, v1, v2, 0x40800000", {bits(2), bits(3)}, bits(10)},
      {"v_madmk_f32 v10, v1, 0x40800000, v2", {bits(2), bits(3)}, bits(11)},
      {"v_ldexp_f32 v10, v1, v2", {bits(3), 4}, bits(48)},
      {"v_rndne_f32_e32 v10, v1", {bits(2.5f)}, bits(2)},
      {"v_trunc_f32_e32 v10, v1", {bits(-2.5f)}, bits(-2)},
      {"v_floor_f32_e32 v10, v1", {bits(-2.5f)}, bits(-3)},
      {"v_ceil_f32_e32 v10, v1", {bits(2.25f)}, bits(3)},
      {"v_fract_f32_e32 v10, v1", {bits(-2.25f)}, bits(0.75f)},
      {"v_frexp_mant_f32_e32 v10, v1", {bits(12)}, bits(0.75f)},
      {"v_frexp_exp_i32_f32_e32 v10, v1", {bits(12)}, 4},
  });
}

TEST(gcn_float, denormals_by_the_mode_of_the_kernel) {
  expect_all(
      {
          {"v_mul_f32_e32 v10, v1, v2", {bits(0x1p-126f), bits(0.5f)}, 0},
          {"v_add_f32_e32 v10, v1, v2", {0x00400000, 0x00400000}, 0},
          {"v_add_f16_e32 v10, v1, v2", {0x0200, 0x0200}, 0},
          {"v_mul_f32_e32 v10, v1, v2", {0x80400000, bits(1)}, 0x80000000},
      },
      true);
  expect_all({{"v_mad_f32 v10, v1, v2, 0", {bits(0x1p-126f), bits(0.5f)}, 0}});  // never has any
}

TEST(gcn_float, extremes_and_nan) {
  expect_all({
      {"v_max_f32_e32 v10, v1, v2", {k_nan, bits(1)}, bits(1)},
      {"v_max_f32_e32 v10, v1, v2", {k_signaling, bits(1)}, k_signaling | 0x400000},
      {"v_min_f32_e32 v10, v1, v2", {bits(0.0f), bits(-0.0f)}, bits(-0.0f)},
      {"v_max3_f32 v10, v1, v2, v3", {bits(1), k_nan, bits(3)}, bits(3)},
      {"v_min3_f32 v10, v1, v2, v3", {bits(1), k_minus_infinity, bits(3)}, k_minus_infinity},
      {"v_med3_f32 v10, v1, v2, v3", {bits(5), bits(1), bits(3)}, bits(3)},
      {"v_max3_f16 v10, v1, v2, v3\nv_and_b32_e32 v10, 0xffff, v10", {0x3c00, 0x4200, 0xc400}, 0x4200},
      {"v_cmp_o_f32_e32 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {k_nan, bits(1)}, 5},
      {"v_cmp_nlt_f32_e32 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {k_nan, bits(1)}, 6},
      {"v_cmp_lg_f32_e32 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {bits(2), bits(1)}, 6},
      {"v_cmp_gt_f16_e32 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {0x3c00, 0xbc00}, 6},
      {"v_cmp_class_f32_e64 vcc, v1, 3\nv_cndmask_b32_e64 v10, 5, 6, vcc", {k_nan}, 6},
      {"v_cmp_class_f32_e64 vcc, v1, 4\nv_cndmask_b32_e64 v10, 5, 6, vcc", {k_minus_infinity}, 6},
      {"v_cmp_class_f32_e64 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {bits(1), 0x100}, 6},
      {"v_cmp_class_f32_e64 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {1, 0x80}, 6},
      {"v_cmp_class_f32_e64 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {0x80000000, 0x20}, 6},
  });
}

TEST(gcn_float, halves) {
  expect_all({
      {"v_add_f16_e32 v10, v1, v2", {0xabcd3c00, 0x12341000}, 0x3c00},  // 1 + 2^-11: a tie, to even
      {"v_mul_f16_e32 v10, v1, v2", {0x4200, 0x4400}, 0x4a00},
      {"v_sub_f16_e64 v10, v1, |v2|", {0x4200, 0xbc00}, 0x4000},
      {"v_mov_b32_e32 v10, v3\nv_fma_f16 v10, v1, v2, v2 op_sel:[1,0,0,1]",
       {0x40000000, 0x4200, 0x00001234},
       0x48801234},
      {"v_pk_add_f16 v10, v1, v2", {0x3c004000, 0x3c003c00}, 0x40004200},
      {"v_pk_fma_f16 v10, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,1,0]", {0x3c004000, 0x40003c00, 0x3c003c00}, 0xbc00bc00},
      {"v_pk_mul_f16 v10, v1, v2 op_sel_hi:[1,0]", {0x40003c00, 0x00004200}, 0x46004200},
      {"v_pk_max_f16 v10, v1, v2", {0x3c00c000, 0xbc004000}, 0x3c004000},
      {"v_pack_b32_f16 v10, v1, v2", {0x3c00, 0x4000}, 0x40003c00},
      {"v_fma_mix_f32 v10, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,1]", {0x40000000, bits(3), 0x3c00}, bits(7)},
      {"v_mov_b32_e32 v10, v3\nv_fma_mixlo_f16 v10, v1, v2, 0", {bits(2), bits(3), 0xaaaabbbb}, 0xaaaa4600},
      {"v_mov_b32_e32 v10, v3\nv_fma_mixhi_f16 v10, v1, v2, 0", {bits(2), bits(3), 0xaaaabbbb}, 0x4600bbbb},
      // Of a product with an addend of -0: zeros keep their sign, a tie goes to even, NaN stays NaN.
      {"v_fma_mixlo_f16 v10, v1, 1.0, neg(0)\nv_fma_mixhi_f16 v10, v2, 1.0, neg(0)",
       {bits(-0.0f), bits(0)},
       0x00008000},
      {"v_fma_mixlo_f16 v10, v1, 1.0, neg(0)\nv_fma_mixhi_f16 v10, v2, v3, neg(0)",
       {bits(1 + 0x1p-11f), bits(3), bits(0.5f)},
       0x3e003c00},
      {"v_fma_mixlo_f16 v10, v1, 1.0, 0\nv_fma_mixhi_f16 v10, v2, 1.0, neg(1.0)", {bits(-0.0f), bits(3)}, 0x40000000},
      {"v_dot2_f32_f16 v10, v1, v2, v3", {0x40003c00, 0x42004400, bits(1)}, bits(11)},
  });
  expect_all({{"v_mad_mix_f32 v10, v1, v2, v3", {bits(2), bits(3), bits(1)}, bits(7)}}, false, "gfx900");
}

TEST(gcn_float, conversions) {
  expect_all({
      {"v_cvt_f16_f32_e32 v10, v1", {bits(1 + 0x1p-11f)}, 0x3c00},
      {"v_cvt_f16_f32_e32 v10, v1", {bits(65520)}, 0x7c00},
      {"v_cvt_f32_f16_e32 v10, v1", {0xffff0001}, bits(0x1p-24f)},
      {"v_cvt_f32_f16_sdwa v10, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", {0xc0003c00}, bits(-2)},
      {"v_cvt_pkrtz_f16_f32 v10, v1, v2", {bits(1 + 0x1p-10f + 0x1p-11f), bits(1e9f)}, 0x7bff3c01},
      {"v_cvt_i32_f32_e32 v10, v1", {bits(-2.75f)}, 0xfffffffe},
      {"v_cvt_i32_f32_e32 v10, v1", {bits(3e9f)}, 0x7fffffff},
      {"v_cvt_u32_f32_e32 v10, v1", {bits(-3)}, 0},
      {"v_cvt_u32_f32_e32 v10, v1", {k_nan}, 0},
      {"v_cvt_f32_i32_e32 v10, v1", {0xfffffffd}, bits(-3)},
      {"v_cvt_f32_u32_e32 v10, v1", {0xffffffff}, bits(4294967296.0f)},
      {"v_cvt_f32_ubyte2_e32 v10, v1", {0x12ff3456}, bits(255)},
      {"v_cvt_f16_i16_e32 v10, v1", {0xfffd}, 0xc200},
      {"v_cvt_u16_f16_e32 v10, v1", {0x4200}, 3},
      {"v_cvt_f64_f32_e32 v[20:21], v1\nv_mov_b32_e32 v10, v21", {bits(1.5f)}, 0x3ff80000},
      {"v_cvt_f64_i32_e32 v[20:21], v1\nv_mul_f64 v[20:21], v[20:21], 0.5\nv_cvt_f32_f64_e32 v10, v[20:21]",
       {7},
       bits(3.5f)},
      {"v_cvt_f64_f32_e32 v[20:21], v1\nv_fma_f64 v[20:21], v[20:21], v[20:21], 1.0\nv_cvt_i32_f64_e32 v10, v[20:21]",
       {bits(3)},
       10},
  });
}

TEST(gcn_float, packed_floats_of_gfx90a) {
  const lanes two = floats(2), three = floats(3);
  lane_test t;
  t.arch = "gfx90a";
  t.inputs = {floats(9), two, three, floats(5), floats(7)};
  t.outputs = 2;
  t.body = "v_pk_mul_f32 v[10:11], v[2:3], v[4:5]";
  auto both = run(t);
  ASSERT_TRUE(both.ok()) << both.status().to_string();
  EXPECT_EQ(both->at(0), floats(10));
  EXPECT_EQ(both->at(1), floats(21));
  t.body = "v_pk_fma_f32 v[10:11], v[2:3], v[4:5], v[2:3] op_sel:[1,0,0] op_sel_hi:[0,0,1] neg_lo:[0,0,1]";
  both = run(t);
  ASSERT_TRUE(both.ok()) << both.status().to_string();
  EXPECT_EQ(both->at(0), floats(3 * 5 - 2));
  EXPECT_EQ(both->at(1), floats(2 * 5 + 3));
}

TEST(gcn_float, division) {
  const char* divide = R"(v_div_scale_f32 v20, s[20:21], v2, v2, v1
v_div_scale_f32 v21, vcc, v1, v2, v1
v_rcp_f32_e32 v22, v20
v_fma_f32 v23, -v20, v22, 1.0
v_fma_f32 v22, v23, v22, v22
v_mul_f32_e32 v23, v21, v22
v_fma_f32 v24, -v20, v23, v21
v_fma_f32 v23, v24, v22, v23
v_fma_f32 v20, -v20, v23, v21
v_div_fmas_f32 v20, v20, v22, v23
v_div_fixup_f32 v10, v20, v2, v1)";
  for (const auto& [a, b] : {std::pair{1.0f, 3.0f},
                             {1e38f, 1e-3f},
                             {3e-39f, 7.0f},
                             {1e-38f, 3e38f},
                             {5.0f, 0x1p-149f},
                             {-7.0f, 0.0f},
                             {0.0f, 5.0f},
                             {3e38f, 3e37f},
                             {1.0f, 0x1p127f},
                             {INFINITY, 2.0f}}) {
    EXPECT_EQ(output_of(divide, {floats(a), floats(b)})[0], bits(a / b)) << a << " / " << b;
  }
}

TEST(gcn_float, transcendentals) {
  const auto near = [](const char* text, float from, double expected, double ulps = 1) {
    const float got = std::bit_cast<float>(output_of(text, {floats(from)})[5]);
    EXPECT_NEAR(got, expected, ulps * std::ldexp(1, std::ilogb(expected) - 23)) << text;
  };
  near("v_exp_f32_e32 v10, v1", 0.3f, std::exp2(static_cast<double>(0.3f)));
  near("v_log_f32_e32 v10, v1", 0.3f, std::log2(static_cast<double>(0.3f)));
  near("v_rcp_f32_e32 v10, v1", 0.3f, 1 / static_cast<double>(0.3f));
  near("v_rsq_f32_e32 v10, v1", 0.3f, 1 / std::sqrt(static_cast<double>(0.3f)));
  near("v_sqrt_f32_e32 v10, v1", 0.3f, std::sqrt(static_cast<double>(0.3f)));
  near("v_sin_f32_e32 v10, v1", 0.0625f, std::sin(3.14159265358979323846 / 8));
  expect_all({{"v_exp_f32_e32 v10, v1", {k_minus_infinity}, 0},
              {"v_exp_f32_e32 v10, v1", {bits(-140)}, 0},
              {"v_rcp_f32_e32 v10, v1", {0}, k_infinity},
              {"v_log_f32_e32 v10, v1", {0}, k_minus_infinity}});
}

TEST(gcn_float, perturbation_stays_within_an_ulp_of_the_exact_value_and_depends_on_the_seed_alone) {
  const auto source = [](int l) { return -0.37f * static_cast<float>(l + 1); };
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"v_exp_f32_e32 v10, v1", [](double x) { return std::exp2(x); }},
      {"v_rcp_f32_e32 v10, v1", [](double x) { return 1 / x; }},
      {"v_rcp_iflag_f32_e32 v10, v1", [](double x) { return 1 / x; }}};
  for (const auto& [text, exact] : functions) {
    lane_test t;
    t.body = text;
    t.inputs = {each([&](int l) { return bits(source(l)); })};
    const lanes nearest = output_of(t);
    t.perturb = true;
    t.seed = 5;
    const lanes once = output_of(t), again = output_of(t);
    EXPECT_EQ(once, again);
    int moved = 0;
    for (int l = 0; l < 64; ++l) {
      const double wanted = exact(static_cast<double>(source(l)));
      EXPECT_LE(std::abs(static_cast<double>(std::bit_cast<float>(once[l])) - wanted),
                std::ldexp(1.0, std::ilogb(wanted) - 23))
          << text << " lane " << l;
      moved += once[l] != nearest[l];
    }
    EXPECT_GT(moved, 10) << text;
    t.seed = 6;
    EXPECT_NE(output_of(t), once);
  }
}

}  // namespace
}  // namespace rowsmith::gcn::test
