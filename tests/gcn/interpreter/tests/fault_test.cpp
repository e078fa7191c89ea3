// What a card would keep silent about is an error here, with the kernel, the place and the instruction's text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "assembler.h"

namespace rowsmith::gcn::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string fault(const std::string& body, std::vector<lanes> inputs = {}, int outputs = 1) {
  lane_test t;
  t.body = body;
  t.inputs = std::move(inputs);
  t.outputs = outputs;
  return fault_of(t);
}

TEST(gcn_fault, names_kernel_place_and_instruction) {
  EXPECT_THAT(fault("v_mov_b32_e32 v10, v33"), AllOf(HasSubstr("kernel k, block 0,0,0"), HasSubstr("wave 0, pc 0x"),
                                                     HasSubstr("global_store_dword v62, v10, s[2:3]")));
}

TEST(gcn_fault, undefined_register_stored) {
  EXPECT_THAT(fault("v_add_u32_e32 v10, v1, v33", {same(1)}), HasSubstr("undefined value is stored by lane 0"));
}

TEST(gcn_fault, undefined_in_one_lane) {
  EXPECT_THAT(fault("s_mov_b64 exec, 0x7f\nv_mov_b32_e32 v10, 1"), HasSubstr("stored by lane 7"));
}

TEST(gcn_fault, undefined_upper_half) {
  lane_test good{"v_cvt_f16_f32_e32 v10, v1\nv_fma_mixhi_f16 v10, v1, 1.0, 0", {floats(1)}};
  EXPECT_EQ(output_of(good)[5], 0x3c003c00u);
  EXPECT_THAT(fault("v_fma_mixhi_f16 v10, v1, 1.0, 0", {floats(1)}), HasSubstr("stored"));
  // Each half by its own instruction, into a register that held nothing before.
  EXPECT_EQ(output_of("v_fma_mixlo_f16 v10, v1, 1.0, 0\nv_fma_mixhi_f16 v10, v1, 1.0, 0", {floats(1)})[5], 0x3c003c00u);
}

TEST(gcn_fault, undefined_may_be_carried_and_masked) {
  EXPECT_EQ(output_of("v_lshlrev_b32_e32 v10, 16, v33\nv_and_b32_e32 v10, 0xffff, v10", {})[0], 0u);
  EXPECT_EQ(output_of("s_mov_b64 vcc, -1\nv_cndmask_b32_e32 v10, v33, v1, vcc", {same(7)})[0], 7u);
}

TEST(gcn_fault, undefined_as_address) {
  EXPECT_THAT(fault("global_load_dword v10, v[40:41], off"), HasSubstr("undefined value is used as an address"));
  EXPECT_THAT(fault("s_load_dword s20, s[30:31], 0x0"), HasSubstr("undefined value is used as an address"));
  EXPECT_THAT(fault("ds_read_b32 v10, v40"), HasSubstr("used as an LDS address"));
}

TEST(gcn_fault, undefined_in_a_condition) {
  EXPECT_THAT(fault("s_cmp_eq_u32 s30, 0\ns_cbranch_scc1 .Lx\n.Lx:\nv_mov_b32_e32 v10, 0"), HasSubstr("branched on"));
  EXPECT_THAT(fault("v_cmp_eq_u32_e32 vcc, 0, v40\ns_cbranch_vccnz .Lx\n.Lx:\nv_mov_b32_e32 v10, 0"),
              HasSubstr("branched on"));
}

TEST(gcn_fault, undefined_lane_mask_bits_outside_of_exec_do_not_matter) {
  EXPECT_EQ(output_of("v_mov_b32_e32 v10, 0\ns_mov_b64 exec, 0xff\nv_mov_b32_e32 v40, 5\nv_cmp_eq_u32_e32 vcc, 5, v40\n"
                      "s_and_saveexec_b64 s[20:21], vcc\nv_mov_b32_e32 v10, 1",
                      {}),
            each([](int l) { return l < 8; }));
}

TEST(gcn_fault, lane_active_by_an_undefined_condition) {
  const std::string doubt =
      "v_mov_b32_e32 v10, 0\nv_mov_b32_e32 v11, 1\ns_mov_b64 exec, -2\nv_mov_b32_e32 v40, 0\ns_mov_b64 exec, -1\n"
      "v_cmp_eq_u32_e32 vcc, 0, v40\ns_and_saveexec_b64 s[20:21], vcc\n";
  // It may compute for itself; what it then holds is undefined, whether the branch was taken or not.
  EXPECT_EQ(output_of(doubt + "v_mov_b32_e32 v11, 2\ns_mov_b64 exec, s[20:21]", {}), same(0));
  EXPECT_THAT(fault(doubt + "v_mov_b32_e32 v11, 2\ns_mov_b64 exec, s[20:21]", {}, 2), HasSubstr("stored by lane 0"));
  EXPECT_THAT(fault(doubt + "global_store_dword v62, v11, s[2:3]"), HasSubstr("decides whether lane 0 stores"));
  // Both sides of the branch, and together again: the lane is beyond doubt.
  EXPECT_EQ(
      output_of(
          doubt + "s_xor_b64 s[20:21], exec, s[20:21]\nv_mov_b32_e32 v11, 2\ns_andn2_saveexec_b64 s[20:21], s[20:21]\n"
                  "v_mov_b32_e32 v11, 3\ns_or_b64 exec, exec, s[20:21]\nv_mov_b32_e32 v10, 9",
          {}),
      same(9));
}

TEST(gcn_fault, undefined_lds) {
  EXPECT_THAT(fault("v_lshlrev_b32_e32 v20, 2, v0\nds_read_b32 v10, v20\ns_waitcnt lgkmcnt(0)"),
              HasSubstr("undefined value is stored"));
  EXPECT_THAT(fault("v_mov_b32_e32 v20, 0\nds_add_u32 v20, v0"), HasSubstr("undefined LDS is read"));
}

TEST(gcn_fault, load_out_of_bounds) {
  EXPECT_THAT(
      fault("global_load_dword v10, v62, s[0:1] offset:4\ns_waitcnt vmcnt(0)", {same(1)}),
      AllOf(HasSubstr("4 bytes read out of bounds, lane 63"), HasSubstr("0 bytes past the end of the 256 bytes")));
}

TEST(gcn_fault, store_out_of_bounds_and_into_constant_memory) {
  EXPECT_THAT(fault("global_store_dword v62, v1, s[2:3] offset:256", {same(1)}),
              HasSubstr("written out of bounds, lane 0"));
  EXPECT_THAT(fault("global_store_dword v62, v1, s[0:1]", {same(1)}), HasSubstr("only reading is allowed"));
}

TEST(gcn_fault, lanes_outside_of_exec_may_point_anywhere) {
  EXPECT_EQ(output_of("v_mov_b32_e32 v10, 3\ns_mov_b64 exec, 0xff\nglobal_load_dword v10, v62, s[0:1] offset:128\n"
                      "s_waitcnt vmcnt(0)",
                      {each([](int l) { return 100 + l; })}),
            each([](int l) { return l < 8 ? 132 + l : 3; }));
}

TEST(gcn_fault, scalar_load_out_of_bounds) {
  EXPECT_THAT(fault("s_load_dwordx2 s[20:21], s[0:1], 0xfc", {same(1)}), HasSubstr("reads 8 bytes out of bounds"));
}

TEST(gcn_fault, lds_out_of_bounds) {
  EXPECT_THAT(fault("v_mov_b32_e32 v20, 0x1000\nds_write_b32 v20, v1", {same(1)}),
              HasSubstr("out of bounds: 4 bytes at LDS byte 4096"));
}

TEST(gcn_fault, missing_wait_for_vector_memory) {
  EXPECT_THAT(fault("global_load_dword v20, v62, s[0:1]\nv_add_u32_e32 v10, 1, v20", {same(1)}),
              AllOf(HasSubstr("missing s_waitcnt"), HasSubstr("global_load_dword v20")));
  EXPECT_THAT(fault("global_load_dword v10, v62, s[0:1]", {same(1)}), HasSubstr("missing s_waitcnt"));
  EXPECT_THAT(fault("global_load_dwordx2 v[20:21], v62, s[0:1]\nv_mov_b32_e32 v21, 0", {same(1), same(2)}),
              HasSubstr("missing s_waitcnt"));
}

TEST(gcn_fault, counted_waits) {
  const std::string two =
      "global_load_dword v20, v62, s[0:1]\nglobal_load_dword v21, v62, s[0:1]\ns_waitcnt vmcnt(1)\n";
  EXPECT_EQ(output_of(two + "v_add_u32_e32 v10, 1, v20\ns_waitcnt vmcnt(0)", {same(1)})[0], 2u);
  EXPECT_THAT(fault(two + "v_add_u32_e32 v10, 1, v21", {same(1)}), HasSubstr("missing s_waitcnt"));
}

TEST(gcn_fault, missing_wait_for_lds) {
  const std::string stored = "v_lshlrev_b32_e32 v20, 2, v0\nds_write_b32 v20, v0\n";
  EXPECT_THAT(fault(stored + "ds_read_b32 v10, v20"), HasSubstr("missing s_waitcnt"));
  EXPECT_THAT(fault("v_lshlrev_b32_e32 v20, 2, v0\nds_bpermute_b32 v21, v20, v0\nv_mov_b32_e32 v10, v21"),
              HasSubstr("missing s_waitcnt"));
  EXPECT_EQ(output_of(stored + "ds_read_b32 v10, v20\ns_waitcnt lgkmcnt(0)", {})[9], 9u);
}

TEST(gcn_fault, scalar_loads_come_in_any_order) {
  const std::string two = "s_load_dword s20, s[0:1], 0x0\ns_load_dword s21, s[0:1], 0x4\n";
  EXPECT_THAT(fault(two + "s_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v10, s20", {same(1)}), HasSubstr("missing s_waitcnt"));
  EXPECT_EQ(output_of(two + "s_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v10, s20", {same(1)})[0], 1u);
}

TEST(gcn_fault, store_into_lds_under_way_at_a_barrier) {
  EXPECT_THAT(fault("v_lshlrev_b32_e32 v20, 2, v0\nds_write_b32 v20, v0\ns_barrier"),
              HasSubstr("missing s_waitcnt lgkmcnt(0)"));
}

TEST(gcn_fault, unknown_opcode_only_where_it_is_reached) {
  EXPECT_THAT(fault("s_sethalt 0"), AllOf(HasSubstr("no such opcode"), HasSubstr("s_sethalt")));
  EXPECT_EQ(output_of("s_branch .Lx\ns_sethalt 0\n.Lx:\nv_mov_b32_e32 v10, 4", {})[0], 4u);
}

TEST(gcn_fault, branch_out_of_the_program) {
  EXPECT_THAT(fault("s_branch .Lend"), HasSubstr("branches to where no instruction begins"));
}

TEST(gcn_machine, refuses_what_no_card_takes) {
  const auto object = assemble(source_of({"s_nop 0"}), "gfx906");
  ASSERT_TRUE(object.ok()) << object.status().to_string();
  machine m("gfx906:sramecc+:xnack-"), other("gfx90a"), unknown("gfx1030");
  EXPECT_EQ(other.load(*object).status().error(), code::unsupported);
  EXPECT_EQ(unknown.load(*object).status().error(), code::unsupported);
  auto program = m.load(*object);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  EXPECT_THAT((*program)->kernels(), testing::ElementsAre("k"));
  dispatch d;
  d.program = program->get();
  d.kernel = "none";
  EXPECT_EQ(m.run(d).status().error(), code::not_found);
  d.kernel = "k";
  d.block[0] = 2048;
  EXPECT_EQ(m.run(d).status().error(), code::invalid_argument);
  d.block[0] = 64;
  d.dynamic_lds = 65537;
  EXPECT_EQ(m.run(d).status().error(), code::invalid_argument);
  d.dynamic_lds = 0;
  d.grid[0] = 0;
  EXPECT_EQ(m.run(d).status().error(), code::invalid_argument);
  EXPECT_EQ(m.load(std::span(*object).first(100)).status().error(), code::corrupt);
}

}  // namespace
}  // namespace rowsmith::gcn::test
