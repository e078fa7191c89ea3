// Every kernel of the norms through the real compilers, no GPU needed: it compiles, and its machine code keeps the
// plan's promises: no local memory, no spill, 16-byte accesses.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/norm_cases.h"

namespace rowsmith {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class norms_compile : public testing::TestWithParam<target_name> {};

void expect_promises_kept(const launch_plan& l, const code_report& code) {
  EXPECT_EQ(code.local_bytes, 0);
  EXPECT_EQ(code.spills, 0);
  EXPECT_GE(code.barriers, l.barriers);
  if (l.register_budget != 0) {
    EXPECT_LE(code.registers, l.register_budget);
  }
  if (l.wide_access) {
    EXPECT_GT(code.wide_loads, 0);
    EXPECT_GT(code.wide_stores, 0);
  }
}

TEST_P(norms_compile, I1_I2_with_no_spill_and_wide_accesses) {
  backend& b = *backend_for(GetParam().vendor);
  const auto t = b.traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  for (const test::norm_case& c : test::norm_cases()) {
    SCOPED_TRACE(c.name);
    facts f;
    const status seen = inspect(test::request_of(c), &f);
    ASSERT_TRUE(seen.ok()) << seen.to_string();
    f.fixed.vendor = GetParam().vendor;
    const auto p = make_plan(f.fixed, *t);
    ASSERT_TRUE(p.ok()) << p.status().to_string();
    for (const launch_plan& l : p->launches) {
      SCOPED_TRACE(to_string(*p));
      const auto s = render(l, f.fixed, *t);
      ASSERT_TRUE(s.ok()) << s.status().to_string();
      const auto made = b.compile(*s, *t);
      ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
      const auto report = b.report(made->code, *t, s->entry);
      ASSERT_TRUE(report.ok()) << report.status().to_string();
      expect_promises_kept(l, *report);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    targets, norms_compile,
    testing::Values(target_name{device_kind::cuda, "sm_80"}, target_name{device_kind::cuda, "sm_90"},
                    target_name{device_kind::hip, "gfx906"}, target_name{device_kind::hip, "gfx90a"}),
    [](const auto& info) { return std::string(info.param.arch); });

}  // namespace
}  // namespace rowsmith
