// The elementwise functions through the real NVRTC and hipRTC, no GPU needed: they compile, nothing spills, and what is
// to run at memory speed is short.
#include "backend/backend.h"
#include "math/gpu_kernels.h"

namespace rowsmith::test {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class math_compiles : public testing::TestWithParam<target_name> {};

TEST_P(math_compiles, with_no_spill_and_few_instructions) {
  backend& b = *backend_for(GetParam().vendor);
  const auto target = b.traits_of(GetParam().arch);
  ASSERT_TRUE(target.ok()) << target.status().to_string();
  if (const auto who = b.compiler(*target); !who) GTEST_SKIP() << who.status().to_string();
  const source s = math_kernels(GetParam().vendor == device_kind::cuda ? "cuda" : "hip");
  const auto made = b.compile(s, *target);
  ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
  for (const math_function& f : math_functions()) {
    SCOPED_TRACE(f.name);
    const auto report = b.report(made->code, *target, f.entry());
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    EXPECT_EQ(report->local_bytes, 0);
    EXPECT_EQ(report->spills, 0);
    EXPECT_LE(report->registers, 40);
    RecordProperty(std::string("instructions_of_") + f.name, report->instructions);
    const std::string name = f.name;
    // With some 15 instructions of addresses, loads and padding.
    if (name == "silu" || name == "gelu_tanh" || name == "gelu_erf") {
      EXPECT_LE(report->instructions, 90);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    targets, math_compiles,
    testing::Values(target_name{device_kind::cuda, "sm_75"}, target_name{device_kind::cuda, "sm_80"},
                    target_name{device_kind::cuda, "sm_90"}, target_name{device_kind::cuda, "sm_100"},
                    target_name{device_kind::hip, "gfx906"}, target_name{device_kind::hip, "gfx90a"},
                    target_name{device_kind::hip, "gfx1030"}),
    [](const auto& info) { return std::string(info.param.arch); });

}  // namespace
}  // namespace rowsmith::test
