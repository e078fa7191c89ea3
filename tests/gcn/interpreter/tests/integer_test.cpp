// Integer and bit opcodes, scalar and vector, against values worked out by hand.
#include <gtest/gtest.h>

#include "assembler.h"

namespace rowsmith::gcn::test {
namespace {

struct one_lane {
  const char* text;  // v10 from v1, v2, v3
  std::vector<std::uint32_t> inputs;
  std::uint32_t expected;
};

// Many instructions in one kernel: rows of (text, inputs, expected), each into its own output.
void expect_all(const std::vector<one_lane>& rows, const std::string& arch = "gfx906") {
  for (const one_lane& row : rows) {
    lane_test t;
    t.arch = arch;
    t.body = row.text;
    for (const std::uint32_t v : row.inputs) t.inputs.push_back(same(v));
    EXPECT_EQ(output_of(t)[17], row.expected) << row.text;
  }
}

TEST(gcn_integer, sums_products_extremes) {
  expect_all({
      {"v_add_u32_e32 v10, v1, v2", {0xffffffff, 2}, 1},
      {"v_sub_u32_e32 v10, v1, v2", {1, 2}, 0xffffffff},
      {"v_sub_u32_e64 v10, v1, v2 clamp", {1, 2}, 0},
      {"v_subrev_u32_e32 v10, v1, v2", {1, 3}, 2},
      {"v_mul_lo_u32 v10, v1, v2", {0x10001, 0x10001}, 0x20001},
      {"v_mul_hi_u32 v10, v1, v2", {0x80000000, 6}, 3},
      {"v_mul_hi_i32 v10, v1, v2", {0xffffffff, 2}, 0xffffffff},
      {"v_mul_u32_u24_e32 v10, v1, v2", {0xff000003, 5}, 15},
      {"v_mul_i32_i24_e32 v10, v1, v2", {0x00ffffff, 5}, 0xfffffffb},
      {"v_mad_u32_u24 v10, v1, v2, v3", {0x01000002, 3, 4}, 10},
      {"v_mad_i32_i24 v10, v1, v2, v3", {0x00fffffe, 3, 4}, 0xfffffffe},
      {"v_min_i32_e32 v10, v1, v2", {0xffffffff, 1}, 0xffffffff},
      {"v_min_u32_e32 v10, v1, v2", {0xffffffff, 1}, 1},
      {"v_max_i32_e32 v10, v1, v2", {0xffffffff, 1}, 1},
      {"v_max3_u32 v10, v1, v2, v3", {3, 9, 5}, 9},
      {"v_min3_i32 v10, v1, v2, v3", {3, 0xfffffff9, 5}, 0xfffffff9},
      {"v_med3_i32 v10, v1, v2, v3", {3, 0xfffffff9, 5}, 3},
      {"v_med3_u32 v10, v1, v2, v3", {3, 0xfffffff9, 5}, 5},
      {"v_add3_u32 v10, v1, v2, v3", {1, 2, 3}, 6},
      {"v_lshl_add_u32 v10, v1, v2, v3", {5, 33, 3}, 13},
      {"v_add_lshl_u32 v10, v1, v2, v3", {5, 6, 2}, 44},
      {"v_xad_u32 v10, v1, v2, v3", {5, 3, 1}, 7},
  });
}

TEST(gcn_integer, carries) {
  expect_all({
      {"v_add_co_u32_e32 v20, vcc, v1, v2\nv_addc_co_u32_e32 v10, vcc, v3, v3, vcc", {0xffffffff, 1, 5}, 11},
      {"v_add_co_u32_e32 v20, vcc, v1, v2\nv_addc_co_u32_e32 v10, vcc, v3, v3, vcc", {0xfffffffe, 1, 5}, 10},
      {"v_sub_co_u32_e32 v20, vcc, v1, v2\nv_subb_co_u32_e32 v10, vcc, v3, v1, vcc", {1, 2, 9}, 7},
      {"v_mad_u64_u32 v[20:21], s[20:21], v1, v2, v[2:3]\nv_mov_b32_e32 v10, v21", {0xffffffff, 0xffffffff, 1}, 0},
      {"v_mad_u64_u32 v[20:21], vcc, v1, v2, v[2:3]\nv_cndmask_b32_e64 v10, 0, 1, vcc", {0xffffffff, 0xffffffff, 1}, 1},
      {"v_mad_i64_i32 v[20:21], vcc, v1, v2, 0\nv_mov_b32_e32 v10, v21", {0xffffffff, 5}, 0xffffffff},
      {"v_lshlrev_b64 v[20:21], v1, v[2:3]\nv_mov_b32_e32 v10, v21", {36, 0x12345678, 9}, 0x23456780},
      {"v_lshrrev_b64 v[20:21], 4, v[2:3]\nv_mov_b32_e32 v10, v20", {0, 0x12345678, 9}, 0x91234567},
      {"v_ashrrev_i64 v[20:21], 36, v[2:3]\nv_mov_b32_e32 v10, v20", {0, 0, 0x80000000}, 0xf8000000},
  });
}

TEST(gcn_integer, bits) {
  expect_all({
      {"v_not_b32_e32 v10, v1", {0x0f0f0f0f}, 0xf0f0f0f0},
      {"v_and_or_b32 v10, v1, v2, v3", {0xff, 0x3c, 0x100}, 0x13c},
      {"v_or3_b32 v10, v1, v2, v3", {1, 2, 4}, 7},
      {"v_xnor_b32_e32 v10, v1, v2", {0xff, 0x0f}, 0xffffff0f},
      {"v_lshlrev_b32_e32 v10, v1, v2", {35, 1}, 8},
      {"v_lshrrev_b32_e32 v10, v1, v2", {4, 0x80000000}, 0x08000000},
      {"v_ashrrev_i32_e32 v10, v1, v2", {4, 0x80000000}, 0xf8000000},
      {"v_lshl_or_b32 v10, v1, v2, v3", {0x12, 16, 0x34}, 0x120034},
      {"v_bfe_u32 v10, v1, v2, v3", {0x12345678, 8, 12}, 0x456},
      {"v_bfe_u32 v10, v1, v2, v3", {0x12345678, 8, 0}, 0},
      {"v_bfe_i32 v10, v1, v2, v3", {0x0000f800, 8, 8}, 0xfffffff8},
      {"v_bfe_i32 v10, v1, v2, v3", {0x80000000, 28, 8}, 0xfffffff8},
      {"v_bfi_b32 v10, v1, v2, v3", {0xffff0000, 0x12345678, 0x9abcdef0}, 0x1234def0},
      {"v_bfm_b32 v10, v1, v2", {4, 8}, 0xf00},
      {"v_alignbit_b32 v10, v1, v2, v3", {0x11112222, 0x33334444, 16}, 0x22223333},
      {"v_alignbyte_b32 v10, v1, v2, v3", {0x11223344, 0x55667788, 1}, 0x44556677},
      {"v_perm_b32 v10, v1, v2, v3", {0x11223344, 0x55667788, 0x07060100}, 0x11227788},
      {"v_perm_b32 v10, v1, v2, v3", {0x81223344, 0x55667788, 0x0d0c0b08}, 0xff00ff00 | 0x00},
      {"v_bfrev_b32_e32 v10, v1", {0x00000013}, 0xc8000000},
      {"v_ffbh_u32_e32 v10, v1", {0x00010000}, 15},
      {"v_ffbh_u32_e32 v10, v1", {0}, 0xffffffff},
      {"v_ffbl_b32_e32 v10, v1", {0x00010000}, 16},
      {"v_bcnt_u32_b32 v10, v1, v2", {0xff00ff, 100}, 116},
  });
}

TEST(gcn_integer, shorts) {
  expect_all({
      {"v_add_u16_e32 v10, v1, v2", {0x1234ffff, 2}, 1},
      {"v_sub_u16_e64 v10, v1, v2 clamp", {1, 2}, 0},
      {"v_mul_lo_u16_e32 v10, v1, v2", {0x101, 0x101}, 0x201},
      {"v_min_i16_e32 v10, v1, v2", {0xffff, 1}, 0xffff},
      {"v_max_u16_e32 v10, v1, v2", {0xffff, 1}, 0xffff},
      {"v_lshlrev_b16_e32 v10, v1, v2", {4, 0xabcd}, 0xbcd0},
      {"v_ashrrev_i16_e32 v10, v1, v2", {4, 0x8000}, 0xf800},
      {"v_mov_b32_e32 v10, v3\nv_mad_u16 v10, v1, v2, v2 op_sel:[1,0,0,1]", {0x00030009, 4, 0xaaaabbbb}, 0x0010bbbb},
      {"v_pk_add_u16 v10, v1, v2", {0x0001ffff, 0x00010001}, 0x00020000},
      {"v_pk_add_u16 v10, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", {0x00050001, 0x00010001}, 0x00020006},
      {"v_pk_max_i16 v10, v1, v2", {0xffff0001, 0x00010000}, 0x00010001},
      {"v_pk_mad_u16 v10, v1, v2, v3", {0x00020003, 0x00040005, 0x00010001}, 0x00090010},
      {"v_pk_lshlrev_b16 v10, v1, v2", {0x00040008, 0x00010001}, 0x00100100},
      {"v_pk_lshrrev_b16 v10, 8, v2 op_sel_hi:[0,1]", {0, 0x12345678}, 0x00120056},
  });
}

TEST(gcn_integer, comparisons_and_choice) {
  expect_all({
      {"v_cmp_lt_i32_e32 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {0xffffffff, 1}, 6},
      {"v_cmp_lt_u32_e32 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {0xffffffff, 1}, 5},
      {"v_cmp_ge_i16_e32 vcc, v1, v2\nv_cndmask_b32_e64 v10, 5, 6, vcc", {0x8000, 1}, 5},
      {"v_cmp_gt_u64_e32 vcc, v[1:2], v[2:3]\nv_cndmask_b32_e64 v10, 5, 6, vcc", {0, 7, 6}, 6},
      {"v_mov_b32_e32 v10, 5\nv_cmpx_ne_u32_e32 vcc, 17, v0\nv_mov_b32_e32 v10, 6", {}, 5},
  });
}

TEST(gcn_scalar, arithmetic) {
  const auto scalar = [](const char* text) { return std::string(text) + "\nv_mov_b32_e32 v10, s20"; };
  const auto expect = [&](const char* text, std::uint32_t value) {
    EXPECT_EQ(output_of(scalar(text), {})[3], value) << text;
  };
  expect("s_mov_b32 s21, -1\ns_add_u32 s20, s21, 2\ns_addc_u32 s20, 3, 4", 8);
  expect("s_mov_b32 s21, 1\ns_sub_u32 s20, s21, 2\ns_subb_u32 s20, 3, 1", 1);
  expect("s_mov_b32 s21, 0x7fffffff\ns_add_i32 s20, s21, 1\ns_cselect_b32 s20, 1, 2", 1);
  expect("s_mov_b32 s21, 0x7fffffff\ns_sub_i32 s20, s21, 1\ns_cselect_b32 s20, 1, 2", 2);
  expect("s_movk_i32 s20, 0x8000\ns_addk_i32 s20, 0x7fff", 0xffffffff);
  expect("s_movk_i32 s20, 0x100\ns_mulk_i32 s20, -2", 0xfffffe00);
  expect("s_mov_b32 s21, 0x80000000\ns_mul_hi_u32 s20, s21, 6", 3);
  expect("s_lshl3_add_u32 s20, 5, 2", 42);
  expect("s_mov_b32 s21, 0x12345678\ns_bfe_u32 s20, s21, 0xc0008", 0x456);
  expect("s_mov_b32 s21, 0x0000f800\ns_bfe_i32 s20, s21, 0x80008", 0xfffffff8);
  expect("s_mov_b64 s[22:23], -8\ns_bfe_i64 s[20:21], s[22:23], 0x200000", 0xfffffff8);
  expect("s_mov_b32 s22, 0x80000000\ns_mov_b32 s23, 0\ns_bfe_i64 s[20:21], s[22:23], 0x200000\ns_mov_b32 s20, s21",
         0xffffffff);
  expect("s_mov_b32 s22, 0x70000000\ns_mov_b32 s23, 5\ns_bfe_i64 s[20:21], s[22:23], 0x200000\ns_mov_b32 s20, s21", 0);
  expect("s_mov_b64 s[22:23], 2.0\ns_mov_b32 s20, s23", 0x40000000);  // a double: a pair of floats (0, 2)
  expect("s_mov_b64 s[20:21], 2.0", 0);
  expect("s_bfm_b32 s20, 4, 8", 0xf00);
  expect("s_mov_b64 s[22:23], 1\ns_lshl_b64 s[20:21], s[22:23], 31", 0x80000000);
  expect("s_mov_b32 s21, 0xf0\ns_ff1_i32_b32 s20, s21", 4);
  expect("s_mov_b32 s21, 0xf0\ns_flbit_i32_b32 s20, s21", 24);
  expect("s_mov_b64 s[22:23], -1\ns_bcnt1_i32_b64 s20, s[22:23]", 64);
  expect("s_mov_b32 s21, 0x00018000\ns_sext_i32_i16 s20, s21", 0xffff8000);
  expect("s_mov_b32 s21, 0x11112222\ns_pack_lh_b32_b16 s20, s21, s21", 0x11112222);
  expect("s_andn2_b32 s20, 0xff, 15", 0xf0);
  expect("s_cmpk_lg_u32 s21, 0x5\ns_mov_b32 s21, 6\ns_cmpk_gt_u32 s21, 0x5\ns_cselect_b32 s20, 1, 2", 1);
  expect("s_mov_b32 s21, 4\ns_bitcmp1_b32 s21, 2\ns_cselect_b32 s20, 1, 2", 1);
  expect("s_mov_b32 s20, 0\n.Lx:\ns_add_i32 s20, s20, 3\ns_cmp_lt_u32 s20, 10\ns_cbranch_scc1 .Lx", 12);
  expect(
      "s_mov_b32 s20, 8\ns_getpc_b64 s[22:23]\ns_add_u32 s22, s22, 16\ns_addc_u32 s23, s23, 0\ns_setpc_b64 "
      "s[22:23]\ns_mov_b32 s20, 9",
      8);
}

TEST(gcn_scalar, exec_masks) {
  EXPECT_EQ(
      output_of(
          "v_mov_b32_e32 v10, 1\nv_cmp_gt_u32_e32 vcc, 8, v0\ns_and_saveexec_b64 s[20:21], vcc\nv_mov_b32_e32 v10, 2\n"
          "s_xor_b64 exec, exec, s[20:21]\nv_mov_b32_e32 v10, 3",
          {}),
      each([](int l) { return l < 8 ? 2 : 3; }));
  EXPECT_EQ(
      output_of("v_mov_b32_e32 v10, 1\ns_mov_b64 exec, 0\ns_cbranch_execz .Lx\ns_sethalt 0\n.Lx:\nv_mov_b32_e32 v10, 2",
                {}),
      same(1));
}

TEST(gcn_lane, reads_writes_and_counts) {
  const lanes squares = each([](int l) { return l * l; });
  EXPECT_EQ(output_of("v_readlane_b32 s20, v1, 9\nv_mov_b32_e32 v10, s20", {squares}), same(81));
  EXPECT_EQ(output_of("s_mov_b64 exec, 0xf0\nv_readfirstlane_b32 s20, v1\ns_mov_b64 exec, -1\nv_mov_b32_e32 v10, s20",
                      {squares}),
            same(16));
  EXPECT_EQ(output_of("v_mov_b32_e32 v10, v1\ns_mov_b32 s20, 5\nv_writelane_b32 v10, s20, 62", {squares}),
            each([](int l) { return l == 62 ? 5 : l * l; }));
  EXPECT_EQ(output_of("v_mbcnt_lo_u32_b32 v20, -1, 0\nv_mbcnt_hi_u32_b32 v10, -1, v20", {}),
            each([](int l) { return l; }));
}

}  // namespace
}  // namespace rowsmith::gcn::test
