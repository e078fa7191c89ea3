// Targets by name, places, and a machine without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backend/backend.h"
#include "backend/hip/gcn.h"
#include "backend/hip/places.h"
#include "backend/hip/target.h"

namespace rowsmith {
namespace {

TEST(hip_target, generations) {
  EXPECT_EQ(hip::generation("gfx906"), 9);
  EXPECT_EQ(hip::generation("gfx90a"), 9);
  EXPECT_EQ(hip::generation("gfx936"), 9);
  EXPECT_EQ(hip::generation("gfx1030"), 10);
  EXPECT_EQ(hip::generation("gfx1201"), 12);
  for (const char* bad : {"", "gfx", "gfx9", "gfx90", "gfxa06", "gfx9a6", "gfx90g", "gfx10300", "sm_90", "foo"}) {
    EXPECT_EQ(hip::generation(bad), 0) << bad;
    EXPECT_EQ(hip::traits_of(bad).status().error(), code::invalid_argument) << bad;
  }
}

TEST(hip_target, I8_I14_traits_follow_from_the_number) {
  for (const char* name : {"gfx906", "gfx906:sramecc+:xnack-", "gfx90a", "gfx926", "gfx928:xnack-", "gfx936"}) {
    const traits t = hip::traits_of(name).value();
    EXPECT_EQ(t.vendor, device_kind::hip);
    EXPECT_EQ(t.wave, 64) << name;
    EXPECT_EQ(t.shared_bytes, 65536);
    EXPECT_EQ(t.arch, std::string(name).substr(0, 6));
    EXPECT_FALSE(t.bulk_copy);
    EXPECT_EQ(t.largest_cluster, 1);
  }
  EXPECT_EQ(hip::traits_of("gfx1030")->wave, 32);
  EXPECT_EQ(hip::traits_of("gfx1100")->wave, 32);
}

TEST(hip_places, hold_amd_and_hygon) {
  const std::vector<std::string> list = hip::library_candidates(hip::runtime_names(), {});
  for (const char* name : {"libamdhip64.so.7", "libgalaxyhip.so.5", "/opt/dtk/hip/lib/libgalaxyhip.so.5",
                           "/opt/rocm/lib/libamdhip64.so.6"}) {
    EXPECT_NE(std::find(list.begin(), list.end(), name), list.end()) << name;
  }
}

TEST(gcn_census, reads_lines) {
  hip::gcn_census c;
  for (const char* line :
       {"\tglobal_load_dwordx4 v[0:3], v0, s[0:1]", "global_load_b128 v[0:3], v0, s[0:1]",
        "global_load_dword v1, v0, s[0:1]", "flat_store_short v[0:1], v2", "global_store_b128 v0, v[0:3], s[0:1]",
        "s_barrier", "scratch_store_dword off, v0, s0", "buffer_load_dword v0, off, s[0:3], 0",
        "v_add_f32_dpp v0, v1, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", ""}) {
    c.add(line);
  }
  EXPECT_EQ(c.wide_loads, 2);
  EXPECT_EQ(c.narrow_loads, 1);
  EXPECT_EQ(c.narrow_stores, 1);
  EXPECT_EQ(c.wide_stores, 1);
  EXPECT_EQ(c.barriers, 1);
  EXPECT_EQ(c.scratch_accesses, 2);
  EXPECT_EQ(c.lane_moves, 1);
  EXPECT_EQ(c.instructions, 9);
}

// Everything but loading and launching works without a device, and what cannot work says so.
TEST(no_device, is_told_and_never_aborts) {
  for (auto* make : {&make_cuda_backend, &make_hip_backend}) {
    auto backend = make();
    const auto probes = backend->probe();
    ASSERT_EQ(probes.size(), 2u);
    EXPECT_EQ(probes[0].purpose, "driver");
    EXPECT_EQ(probes[1].purpose, "compiler");
    if (backend->device_count() > 0) continue;
    EXPECT_EQ(backend->describe(0).status().error(), code::not_found);
    EXPECT_EQ(backend->describe(-1).status().error(), code::not_found);
    EXPECT_FALSE(backend->load(0, {}, {}));
    EXPECT_FALSE(backend->capturing(0, {}));
    EXPECT_FALSE(backend->allocate(0, 16));
    EXPECT_FALSE(backend->synchronize(0, {}).ok());
    EXPECT_FALSE(backend->copy(0, nullptr, nullptr, 16).ok());
    EXPECT_TRUE(backend->release(0, nullptr).ok());
  }
}

}  // namespace
}  // namespace rowsmith
