// Every kernel through the real compilers, no GPU needed: it compiles, and its machine code keeps the plan's promises.
#include <gtest/gtest.h>

#include <tuple>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/softmax_cases.h"
#include "support/softmax_family_cases.h"

namespace rowsmith {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class softmax_compiles : public testing::TestWithParam<target_name> {};

// What the machine code of a launch must be.
void expect_promises_kept(const launch_plan& l, const code_report& code, bool scalar_spills_count) {
  if (l.register_budget != 0) {
    EXPECT_LE(code.registers, l.register_budget);
    EXPECT_EQ(code.local_bytes, 0);
    // AMD's compilers keep scalar registers in lanes of vector registers, and count that: no memory is touched.
    if (scalar_spills_count) {
      EXPECT_EQ(code.spills, 0);
    }
  }
  EXPECT_GE(code.barriers, l.barriers);
  if (l.wide_access) {
    EXPECT_GT(code.wide_loads, 0);
    EXPECT_GT(code.wide_stores, 0);
  }
}

// Compiles what the request asks for.
void expect_compiles(backend& b, const traits& t, const request& r, bool scalar_spills_count = true) {
  facts f;
  const status fits = inspect(r, &f);
  ASSERT_TRUE(fits.ok()) << fits.to_string();
  f.fixed.vendor = b.kind();
  const auto p = make_plan(f.fixed, t);
  ASSERT_TRUE(p.ok()) << p.status().to_string();
  for (const launch_plan& l : p->launches) {
    SCOPED_TRACE(to_string(*p));
    const auto s = render(l, f.fixed, t);
    ASSERT_TRUE(s.ok()) << s.status().to_string();
    const auto made = b.compile(*s, t);
    ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
    const auto report = b.report(made->code, t, s->entry);
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    expect_promises_kept(l, *report, scalar_spills_count);
  }
}

TEST_P(softmax_compiles, with_no_spill_and_wide_accesses) {
  backend& b = *backend_for(GetParam().vendor);
  const auto t = b.traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  for (const test::softmax_case& c : test::softmax_cases()) {
    SCOPED_TRACE(c.name);
    expect_compiles(b, *t, test::request_of(c));
  }
}

// Widths of every mechanism: staged, lanes, block in both ways, streamed in both ways.
constexpr std::int64_t family_widths[] = {49, 128, 1000, 1024, 4096, 16384, 32768, 50257};

class softmax_family_compiles : public testing::TestWithParam<std::tuple<target_name, std::int64_t>> {};

TEST_P(softmax_family_compiles, with_masks_and_backwards) {
  const auto& [target, width] = GetParam();
  backend& b = *backend_for(target.vendor);
  const auto t = b.traits_of(target.arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  for (const test::named_request& c : test::softmax_family_cases({width})) {
    SCOPED_TRACE(c.name);
    expect_compiles(b, *t, c.call, target.vendor != device_kind::hip);
  }
}

INSTANTIATE_TEST_SUITE_P(
    targets, softmax_family_compiles,
    testing::Combine(testing::Values(target_name{device_kind::cuda, "sm_80"}, target_name{device_kind::cuda, "sm_90"},
                                     target_name{device_kind::hip, "gfx906"}, target_name{device_kind::hip, "gfx90a"}),
                     testing::ValuesIn(family_widths)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).arch) + "_w" + std::to_string(std::get<1>(info.param));
    });

INSTANTIATE_TEST_SUITE_P(
    targets, softmax_compiles,
    testing::Values(target_name{device_kind::cuda, "sm_75"}, target_name{device_kind::cuda, "sm_80"},
                    target_name{device_kind::cuda, "sm_90"}, target_name{device_kind::cuda, "sm_100"},
                    target_name{device_kind::hip, "gfx906"}, target_name{device_kind::hip, "gfx90a"},
                    target_name{device_kind::hip, "gfx1030"}),
    [](const auto& info) { return std::string(info.param.arch); });

}  // namespace
}  // namespace rowsmith
