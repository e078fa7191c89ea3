// The kernels of gathers, moments and columns through the real compilers, no GPU needed: no spill, no local memory, and
// what else their plans promise.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/row_cases.h"

namespace rowsmith {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class rows_compile : public testing::TestWithParam<target_name> {};

TEST_P(rows_compile, with_no_spill_and_wide_accesses) {
  backend& b = *backend_for(GetParam().vendor);
  const auto t = b.traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  for (const test::row_case& c : test::row_cases()) {
    SCOPED_TRACE(c.name);
    facts f;
    const status inspected = inspect(c.what, &f);
    ASSERT_TRUE(inspected.ok()) << inspected.to_string();
    f.fixed.vendor = GetParam().vendor;
    const auto p = make_plan(f.fixed, *t);
    ASSERT_TRUE(p.ok()) << p.status().to_string();
    for (const launch_plan& l : p->launches) {
      SCOPED_TRACE(to_string(*p));
      const auto s = render(l, f.fixed, *t);
      ASSERT_TRUE(s.ok()) << s.status().to_string();
      const auto made = b.compile(*s, *t);
      ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail() << s->instantiation;
      const auto report = b.report(made->code, *t, s->entry);
      ASSERT_TRUE(report.ok()) << report.status().to_string();
      EXPECT_EQ(report->local_bytes, 0);
      EXPECT_EQ(report->spills, 0);
      EXPECT_GE(report->barriers, l.barriers);
      if (l.register_budget != 0) {
        EXPECT_LE(report->registers, l.register_budget);
      }
      if (l.wide_access && f.fixed.op != op_id::moments) {
        EXPECT_GT(report->wide_stores, 0);
      }
      if (l.wide_access) {
        EXPECT_GT(report->wide_loads, 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(targets, rows_compile,
                         testing::Values(target_name{device_kind::cuda, "sm_80"}, target_name{device_kind::cuda, "sm_90"},
                                         target_name{device_kind::hip, "gfx906"},
                                         target_name{device_kind::hip, "gfx90a"}),
                         [](const auto& info) { return std::string(info.param.arch); });

}  // namespace
}  // namespace rowsmith
