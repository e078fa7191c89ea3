// LDS, global memory and waves that work together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembler.h"

namespace rowsmith::gcn::test {
namespace {

using testing::HasSubstr;

const lanes numbers = each([](int l) { return 1000 + l; });

TEST(gcn_lds, widths) {
  const std::string at16 =
      "v_lshlrev_b32_e32 v20, 4, v0\nv_add_u32_e32 v2, 1, v1\nv_add_u32_e32 v3, 2, v1\nv_add_u32_e32 v4, 3, v1\n"
      "ds_write_b128 v20, v[1:4]\n";
  EXPECT_EQ(output_of(at16 + "ds_read_b32 v10, v20 offset:12\ns_waitcnt lgkmcnt(0)", {numbers}),
            each([](int l) { return 1003 + l; }));
  EXPECT_EQ(output_of(at16 + "ds_read_b64 v[20:21], v20 offset:8\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v10, v21",
                      {numbers})[4],
            1007u);
  EXPECT_EQ(
      output_of(
          at16 + "ds_read2_b32 v[20:21], v20 offset0:1 offset1:3\ns_waitcnt lgkmcnt(0)\nv_sub_u32_e32 v10, v21, v20",
          {numbers}),
      same(2));
  EXPECT_EQ(output_of(at16 + "ds_read_u16 v10, v20\ns_waitcnt lgkmcnt(0)", {same(0x12345678)}), same(0x5678));
  EXPECT_EQ(output_of(at16 + "ds_read_i8 v10, v20 offset:1\ns_waitcnt lgkmcnt(0)", {same(0x1234f678)}),
            same(0xfffffff6));
  EXPECT_EQ(
      output_of(at16 + "v_mov_b32_e32 v10, 0\nds_read_u16_d16_hi v10, v20\ns_waitcnt lgkmcnt(0)", {same(0x12345678)}),
      same(0x56780000));
  EXPECT_EQ(output_of("v_lshlrev_b32_e32 v20, 2, v0\nds_write2st64_b32 v20, v1, v0 offset0:1 "
                      "offset1:2\nds_read2st64_b32 v[20:21], v20 offset0:2 offset1:1\n"
                      "s_waitcnt lgkmcnt(0)\nv_sub_u32_e32 v10, v21, v20",
                      {numbers}),
            same(1000));
}

TEST(gcn_lds, between_lanes) {
  const std::string reversed = "v_sub_u32_e32 v20, 63, v0\nv_lshlrev_b32_e32 v20, 2, v20\n";
  EXPECT_EQ(output_of(reversed + "ds_bpermute_b32 v10, v20, v1\ns_waitcnt lgkmcnt(0)", {numbers}),
            each([](int l) { return 1063 - l; }));
  EXPECT_EQ(output_of("v_mov_b32_e32 v20, 20\nds_permute_b32 v10, v20, v1\ns_waitcnt lgkmcnt(0)", {numbers}),
            each([](int l) { return l == 5 ? 1063 : 0; }));
  EXPECT_EQ(output_of("ds_swizzle_b32 v10, v1 offset:0x401f\ns_waitcnt lgkmcnt(0)", {numbers}),
            each([](int l) { return 1000 + (l ^ 16); }));
  EXPECT_EQ(output_of("ds_swizzle_b32 v10, v1 offset:0x8000\ns_waitcnt lgkmcnt(0)", {numbers}),
            each([](int l) { return 1000 + l / 4 * 4; }));
}

TEST(gcn_lds, atomics) {
  const std::string zeroed = "v_mov_b32_e32 v20, 64\nv_mov_b32_e32 v21, 0\nds_write_b32 v20, v21\n";
  EXPECT_EQ(output_of(zeroed + "ds_add_u32 v20, v0\nds_read_b32 v10, v20\ns_waitcnt lgkmcnt(0)", {}),
            same(63 * 64 / 2));
  EXPECT_EQ(output_of(zeroed + "ds_max_u32 v20, v1\nds_read_b32 v10, v20\ns_waitcnt lgkmcnt(0)", {numbers}),
            same(1063));
  EXPECT_EQ(output_of(zeroed + "v_mov_b32_e32 v22, 1\nds_add_rtn_u32 v10, v20, v22\ns_waitcnt lgkmcnt(0)", {}),
            each([](int l) { return l; }));
  EXPECT_EQ(output_of(zeroed + "ds_add_f32 v20, v1\nds_read_b32 v10, v20\ns_waitcnt lgkmcnt(0)", {floats(0.5f)}),
            floats(32));
}

lane_test with_scratch(const std::string& body, unsigned bytes) {
  lane_test t;
  t.body = body;
  t.inputs = {numbers};
  t.scratch_bytes = bytes;
  return t;
}

// Every lane has its own memory, at its own offset or at one for all.
TEST(gcn_scratch, each_lane_for_itself) {
  const std::string stored =
      "v_and_b32_e32 v20, 12, v62\nbuffer_store_dword v1, v20, s[64:67], 0 offen offset:16\n"
      "v_mov_b32_e32 v21, 7\nbuffer_store_dword v21, off, s[64:67], 0 offset:4\n";
  EXPECT_EQ(output_of(with_scratch(
                stored + "buffer_load_dword v10, v20, s[64:67], 0 offen offset:16\ns_waitcnt vmcnt(0)", 32)),
            numbers);
  EXPECT_EQ(
      output_of(with_scratch(stored + "buffer_load_dword v10, off, s[64:67], 0 offset:4\ns_waitcnt vmcnt(0)", 32)),
      same(7));
  // A scalar offset counts bytes of the whole wave.
  EXPECT_EQ(output_of(with_scratch(
                stored + "s_movk_i32 s40, 0x100\nbuffer_load_dword v10, off, s[64:67], s40\ns_waitcnt vmcnt(0)", 32)),
            same(7));
}

TEST(gcn_scratch, widths) {
  const std::string pair = "v_mov_b32_e32 v2, 0x1234f678\nbuffer_store_dwordx2 v[1:2], off, s[64:67], 0\n";
  EXPECT_EQ(
      output_of(with_scratch(
          pair + "buffer_load_dwordx2 v[20:21], off, s[64:67], 0\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v10, v21", 8)),
      same(0x1234f678));
  EXPECT_EQ(output_of(with_scratch(pair + "buffer_load_ushort v10, off, s[64:67], 0 offset:4\ns_waitcnt vmcnt(0)", 8)),
            same(0xf678));
  EXPECT_EQ(output_of(with_scratch(pair + "buffer_load_sbyte v10, off, s[64:67], 0 offset:5\ns_waitcnt vmcnt(0)", 8)),
            same(0xfffffff6));
  EXPECT_EQ(
      output_of(with_scratch(pair + "buffer_store_short_d16_hi v2, off, s[64:67], 0\nbuffer_load_ushort v10, off, "
                                    "s[64:67], 0\ns_waitcnt vmcnt(0)",
                             8)),
      same(0x1234));
}

TEST(gcn_scratch, what_is_wrong_is_said) {
  EXPECT_THAT(fault_of(with_scratch("buffer_load_dword v10, off, s[64:67], 0 offset:4\ns_waitcnt vmcnt(0)", 8)),
              HasSubstr("undefined"));
  EXPECT_THAT(fault_of(with_scratch("buffer_store_dword v1, off, s[64:67], 0 offset:8", 8)),
              HasSubstr("8 bytes of scratch"));
  EXPECT_THAT(fault_of(with_scratch("s_mov_b64 s[64:65], 0\nbuffer_store_dword v1, off, s[64:67], 0", 8)),
              HasSubstr("not the wave's scratch"));
  EXPECT_THAT(
      fault_of(with_scratch("buffer_store_dword v1, off, s[64:67], 0\nbuffer_load_dword v10, off, s[64:67], 0", 8)),
      HasSubstr("s_waitcnt"));
}

TEST(gcn_global, widths_and_addressing) {
  const std::string pair =
      "v_mov_b32_e32 v21, s1\nv_add_co_u32_e32 v20, vcc, s0, v62\nv_addc_co_u32_e32 v21, vcc, 0, v21, vcc\n";
  EXPECT_EQ(output_of(pair + "global_load_dword v10, v[20:21], off offset:256\ns_waitcnt vmcnt(0)", {same(1), numbers}),
            numbers);
  EXPECT_EQ(output_of(pair + "flat_load_dword v10, v[20:21]\ns_waitcnt vmcnt(0) lgkmcnt(0)", {numbers}), numbers);
  EXPECT_EQ(output_of("global_load_ushort v10, v62, s[0:1] offset:2\ns_waitcnt vmcnt(0)", {same(0x8765f321)}),
            same(0x8765));
  EXPECT_EQ(output_of("global_load_sbyte v10, v62, s[0:1] offset:1\ns_waitcnt vmcnt(0)", {same(0x8765f321)}),
            same(0xfffffff3));
  EXPECT_EQ(output_of("v_mov_b32_e32 v10, 7\nglobal_load_short_d16_hi v10, v62, s[0:1]\ns_waitcnt vmcnt(0)",
                      {same(0x8765f321)}),
            same(0xf3210007));
  EXPECT_EQ(output_of("v_and_b32_e32 v20, 0xf0, v62\nglobal_load_dwordx4 v[20:23], v20, s[0:1] glc slc\ns_waitcnt "
                      "vmcnt(0)\nv_sub_u32_e32 v10, v23, v20",
                      {numbers}),
            same(3));
  lane_test t;
  t.inputs = {numbers};
  t.outputs = 1;
  t.body =
      "v_mov_b32_e32 v10, 0\nglobal_store_dword v62, v10, s[2:3]\nglobal_store_short v62, v1, s[2:3] offset:2\n"
      "global_load_dword v10, v62, s[2:3]\ns_waitcnt vmcnt(0)";
  EXPECT_EQ(output_of(t), each([](int l) { return static_cast<std::uint32_t>(1000 + l) << 16; }));
}

TEST(gcn_global, atomics) {
  const std::string zeroed = "v_mov_b32_e32 v20, 0\nv_mov_b32_e32 v21, 0\nglobal_store_dword v20, v21, s[2:3]\n";
  const std::string back = "global_load_dword v10, v20, s[2:3]\ns_waitcnt vmcnt(0)";
  EXPECT_EQ(output_of(zeroed + "global_atomic_add v20, v1, s[2:3]\n" + back, {same(3)}), same(192));
  EXPECT_EQ(output_of(zeroed + "global_atomic_umax v20, v1, s[2:3]\n" + back, {numbers}), same(1063));
  EXPECT_EQ(output_of(zeroed + "global_atomic_add v10, v20, v1, s[2:3] glc\ns_waitcnt vmcnt(0)", {same(2)}),
            each([](int l) { return 2 * l; }));
}

// Two waves and more: each leaves its number in LDS, and reads that of its neighbour.
struct block_test {
  std::string between;  // what stands between the store and the load
  std::uint64_t seed = 0;
  int host_threads = 1;
};
result<std::vector<std::uint32_t>> exchange(const block_test& t, counts* executed = nullptr) {
  kernel_text k;
  k.lds_bytes = 1024;
  k.kernarg_bytes = 8;
  k.body =
      "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_lshlrev_b32_e32 v1, 2, v0\nv_add_u32_e32 v2, 1, v0\nds_write_b32 v1, "
      "v2\n" +
      t.between +
      "\nv_xor_b32_e32 v3, 0x100, v1\nds_read_b32 v4, v3\ns_lshl_b32 s6, s2, 10\ns_waitcnt lgkmcnt(0)\n"
      "v_add_u32_e32 v1, s6, v1\nglobal_store_dword v1, v4, s[4:5]";
  auto object = assemble(source_of(k), k.arch);
  if (!object) return object.status();
  std::vector<std::uint32_t> out(1024);
  machine m(k.arch);
  m.map(out.data(), out.size() * 4);
  auto program = m.load(*object);
  if (!program) return program.status();
  const void* argument = out.data();
  dispatch d;
  d.program = program->get();
  d.kernel = "k";
  d.grid[0] = 4;
  d.block[0] = 256;
  d.kernarg = std::as_bytes(std::span(&argument, 1));
  d.seed = t.seed;
  d.threads = t.host_threads;
  auto counted = m.run(d);
  if (!counted) return counted.status();
  if (executed != nullptr) *executed = *counted;
  return out;
}

TEST(gcn_block, waves_meet_at_barriers) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    counts executed;
    const auto got = exchange({"s_waitcnt lgkmcnt(0)\ns_barrier", seed, 2}, &executed);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    for (std::uint32_t n = 0; n < 1024; ++n) ASSERT_EQ((*got)[n], (n % 256 ^ 64) + 1);
    EXPECT_EQ(executed.waves, 16u);
    EXPECT_EQ(executed[op_class::barrier], 16u);
    EXPECT_EQ(executed[op_class::store_4], 16u);
    EXPECT_EQ(executed[op_class::lds], 32u);
    EXPECT_EQ(executed[op_class::scalar_load], 16u);
    EXPECT_EQ(executed.per_wave(), 13);
  }
}

TEST(gcn_block, a_missing_barrier_is_found_in_any_order) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto got = exchange({"s_waitcnt lgkmcnt(0)", seed});
    ASSERT_FALSE(got.ok());
    // A wave that runs first reads what nobody has written yet.
    EXPECT_THAT(got.status().message(),
                testing::AnyOf(HasSubstr("missing barrier"), HasSubstr("undefined value is stored")));
  }
}

TEST(gcn_block, a_missing_barrier_behind_the_read_is_found) {
  const std::string again =
      "s_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32_e32 v3, 0x100, v1\nds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)\n";
  EXPECT_THAT(exchange({again + "ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier"}).status().message(),
              HasSubstr("missing barrier"));
  EXPECT_TRUE(exchange({again + "s_barrier\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier"}).ok());
}

}  // namespace
}  // namespace rowsmith::gcn::test
