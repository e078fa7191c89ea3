// Kernels of elementwise calls and copies through the real compilers, no GPU needed.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "compile/promises.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/elementwise_cases.h"

namespace rowsmith {
namespace {

class elementwise_compiles : public testing::TestWithParam<test::target_name> {};

TEST_P(elementwise_compiles, with_no_spill_and_wide_accesses) {
  std::vector<test::named_request> calls;
  for (const test::elementwise_case& c : test::elementwise_cases()) calls.push_back({c.name, test::request_of(c)});
  test::expect_promises_kept(calls, GetParam());
}

TEST_P(elementwise_compiles, fallbacks) {
  backend& b = *backend_for(GetParam().vendor);
  const auto t = b.traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  for (const op_id op : {op_id::copy, op_id::elementwise}) {
    shape_class any;
    any.op = op;
    any.vendor = GetParam().vendor;
    const plan p = make_scalar_plan(any, *t);
    const auto s = render(p.launches.front(), any, *t);
    ASSERT_TRUE(s.ok()) << s.status().to_string();
    const auto made = b.compile(*s, *t);
    ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
    EXPECT_GT(b.report(made->code, *t, s->entry).value().instructions, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(targets, elementwise_compiles, testing::ValuesIn(test::usual_targets), test::arch_of);

}  // namespace
}  // namespace rowsmith
