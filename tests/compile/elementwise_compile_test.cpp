// Kernels of elementwise calls and copies through the real compilers, no GPU needed.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/elementwise_cases.h"

namespace rowsmith {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class elementwise_compiles : public testing::TestWithParam<target_name> {
 protected:
  void SetUp() override {
    vendor_ = backend_for(GetParam().vendor);
    const auto t = vendor_->traits_of(GetParam().arch);
    ASSERT_TRUE(t.ok()) << t.status().to_string();
    traits_ = *t;
    if (const auto who = vendor_->compiler(traits_); !who) GTEST_SKIP() << who.status().to_string();
  }

  code_report compiled(const launch_plan& l, const shape_class& c) {
    const auto s = render(l, c, traits_);
    EXPECT_TRUE(s.ok()) << s.status().to_string();
    if (!s) return {};
    const auto made = vendor_->compile(*s, traits_);
    EXPECT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail() << s->instantiation;
    return made ? vendor_->report(made->code, traits_, s->entry).value() : code_report{};
  }

  backend* vendor_ = nullptr;
  traits traits_;
};

TEST_P(elementwise_compiles, with_no_spill_and_wide_accesses) {
  for (const test::elementwise_case& c : test::elementwise_cases()) {
    SCOPED_TRACE(c.name);
    facts f;
    const status s = inspect(test::request_of(c), &f);
    ASSERT_TRUE(s.ok()) << s.to_string();
    f.fixed.vendor = GetParam().vendor;
    const auto p = make_plan(f.fixed, traits_);
    ASSERT_TRUE(p.ok()) << p.status().to_string();
    SCOPED_TRACE(to_string(*p));
    const launch_plan& l = p->launches.front();
    const code_report code = compiled(l, f.fixed);
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
}

TEST_P(elementwise_compiles, fallbacks) {
  for (const op_id op : {op_id::copy, op_id::elementwise}) {
    shape_class any;
    any.op = op;
    any.vendor = GetParam().vendor;
    const plan p = make_scalar_plan(any, traits_);
    EXPECT_GT(compiled(p.launches.front(), any).instructions, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(targets, elementwise_compiles,
                         testing::Values(target_name{device_kind::cuda, "sm_80"},
                                         target_name{device_kind::cuda, "sm_90"},
                                         target_name{device_kind::hip, "gfx906"},
                                         target_name{device_kind::hip, "gfx90a"}),
                         [](const auto& info) { return std::string(info.param.arch); });

}  // namespace
}  // namespace rowsmith
