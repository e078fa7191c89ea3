// DPP: where each control reads from, what a missing source does, which rows and banks are written. Expected lanes are
// written out from the ISA document's tables, not from the interpreter's formulas.
#include <gtest/gtest.h>

#include <functional>

#include "assembler.h"

namespace rowsmith::gcn::test {
namespace {

const lanes numbers = each([](int l) { return 100 + l; });
const lanes before = same(7);

// v1: the source, v2: what the destination held. -1 in `from`: no source.
void expect_moves(const std::string& control, const std::function<int(int)>& from, const std::string& arch = "gfx906") {
  lane_test t;
  t.arch = arch;
  t.inputs = {numbers, before};
  t.body = "v_mov_b32_e32 v10, v2\ns_nop 1\nv_mov_b32_dpp v10, v1 " + control + " row_mask:0xf bank_mask:0xf";
  EXPECT_EQ(output_of(t), each([&](int l) { return from(l) < 0 ? 7 : 100 + from(l); })) << control;
  t.body += " bound_ctrl:0";
  EXPECT_EQ(output_of(t), each([&](int l) { return from(l) < 0 ? 0 : 100 + from(l); })) << control << " bound_ctrl";
}

TEST(gcn_dpp, quad_perm) {
  expect_moves("quad_perm:[1,0,3,2]", [](int l) { return l ^ 1; });
  expect_moves("quad_perm:[2,3,0,1]", [](int l) { return l ^ 2; });
  expect_moves("quad_perm:[3,3,0,1]", [](int l) {
    const int in_quad[] = {3, 3, 0, 1};
    return l / 4 * 4 + in_quad[l % 4];
  });
}

TEST(gcn_dpp, row_shifts_stay_in_their_row) {
  expect_moves("row_shr:1", [](int l) { return l % 16 == 0 ? -1 : l - 1; });
  expect_moves("row_shr:8", [](int l) { return l % 16 < 8 ? -1 : l - 8; });
  expect_moves("row_shl:1", [](int l) { return l % 16 == 15 ? -1 : l + 1; });
  expect_moves("row_shl:15", [](int l) { return l % 16 == 0 ? l + 15 : -1; });
  expect_moves("row_ror:1", [](int l) { return l % 16 == 0 ? l + 15 : l - 1; });
  expect_moves("row_ror:12", [](int l) { return l % 16 < 12 ? l + 4 : l - 12; });
}

TEST(gcn_dpp, mirrors) {
  expect_moves("row_mirror", [](int l) { return l / 16 * 16 + 15 - l % 16; });
  expect_moves("row_half_mirror", [](int l) { return l / 8 * 8 + 7 - l % 8; });
}

TEST(gcn_dpp, broadcasts) {
  expect_moves("row_bcast:15", [](int l) { return l < 16 ? -1 : l < 32 ? 15 : l < 48 ? 31 : 47; });
  expect_moves("row_bcast:31", [](int l) { return l < 32 ? -1 : 31; });
  expect_moves(
      "row_newbcast:3", [](int l) { return l / 16 * 16 + 3; }, "gfx90a");
}

TEST(gcn_dpp, whole_wave_moves) {
  expect_moves("wave_shr:1", [](int l) { return l - 1; });
  expect_moves("wave_shl:1", [](int l) { return l == 63 ? -1 : l + 1; });
  expect_moves("wave_ror:1", [](int l) { return l == 0 ? 63 : l - 1; });
  expect_moves("wave_rol:1", [](int l) { return l == 63 ? 0 : l + 1; });
}

TEST(gcn_dpp, row_and_bank_masks) {
  EXPECT_EQ(
      output_of("v_mov_b32_e32 v10, v2\ns_nop 1\nv_mov_b32_dpp v10, v1 quad_perm:[0,1,2,3] row_mask:0xa bank_mask:0xf",
                {numbers, before}),
      each([](int l) { return l / 16 % 2 == 1 ? 100 + l : 7; }));
  EXPECT_EQ(
      output_of("v_mov_b32_e32 v10, v2\ns_nop 1\nv_mov_b32_dpp v10, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0x3",
                {numbers, before}),
      each([](int l) { return l % 16 < 8 ? 100 + l : 7; }));
}

TEST(gcn_dpp, lanes_that_exec_has_off_are_no_source) {
  const std::string off = "v_mov_b32_e32 v10, v2\ns_mov_b64 exec, 0xfffffffe\ns_nop 4\n";
  EXPECT_EQ(output_of(off + "v_mov_b32_dpp v10, v1 row_shr:1 row_mask:0xf bank_mask:0xf", {numbers, before}),
            each([](int l) { return l >= 32 || l % 16 == 0 || l == 1 ? 7 : 99 + l; }));
}

TEST(gcn_dpp, arithmetic_takes_the_moved_source_first) {
  EXPECT_EQ(output_of("v_subrev_u32_dpp v10, v1, v2 row_ror:1 row_mask:0xf bank_mask:0xf", {numbers, before}),
            each([](int l) { return 7 - (100 + (l % 16 == 0 ? l + 15 : l - 1)); }));
}

TEST(gcn_dpp, in_place) {
  EXPECT_EQ(
      output_of("v_mov_b32_e32 v10, v1\ns_nop 1\nv_add_u32_dpp v10, v10, v10 row_ror:4 row_mask:0xf bank_mask:0xf",
                {numbers}),
      each([](int l) { return 100 + l + 100 + (l % 16 < 4 ? l + 12 : l - 4); }));
}

TEST(gcn_sdwa, parts_of_sources_and_results) {
  const lanes bytes = same(0x80f1827f);
  EXPECT_EQ(output_of("v_mov_b32_sdwa v10, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2", {bytes})[0], 0xf1u);
  EXPECT_EQ(output_of("v_mov_b32_sdwa v10, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1", {bytes})[0],
            0xffffff82u);
  EXPECT_EQ(output_of("v_mov_b32_sdwa v10, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", {bytes})[0],
            0xffff80f1u);
  EXPECT_EQ(output_of("v_add_u32_sdwa v10, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_3",
                      {bytes, bytes})[0],
            0x82ffu);
  const std::string held = "v_mov_b32_e32 v10, 0x11223344\n";
  lane_test t;
  t.inputs = {bytes};
  t.body =
      "v_mov_b32_e32 v10, 0x11223344\nv_mov_b32_sdwa v10, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0";
  EXPECT_EQ(output_of(t)[0], 0x827f3344u);
  t.body = held + "v_mov_b32_sdwa v10, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3";
  EXPECT_EQ(output_of(t)[0], 0x11228044u);
  t.body = held + "v_mov_b32_sdwa v10, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0";
  EXPECT_EQ(output_of(t)[0], 0x007f0000u);
  t.body = held + "v_mov_b32_sdwa v10, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3";
  EXPECT_EQ(output_of(t)[0], 0xffff8000u);
}

}  // namespace
}  // namespace rowsmith::gcn::test
