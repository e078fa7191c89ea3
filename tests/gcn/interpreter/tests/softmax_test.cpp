// The library's own softmax kernels, as hipRTC makes them, executed.
#include <gtest/gtest.h>

#include <algorithm>

#include "softmax_kernel.h"

namespace rowsmith::gcn::test {
namespace {

// Rows enough for several blocks, few enough for a test.
rowsmith::test::softmax_case shortened(rowsmith::test::softmax_case c) {
  c.rows = std::clamp<std::int64_t>(100000 / c.width, 2, 67);
  return c;
}

class gcn_softmax : public testing::TestWithParam<const char*> {};

TEST_P(gcn_softmax, every_case_within_its_bound) {
  for (const rowsmith::test::softmax_case& c : rowsmith::test::softmax_cases()) {
    SCOPED_TRACE(c.name);
    kernel_run r;
    r.of = shortened(c);
    r.arch = GetParam();
    const kernel_outcome o = run_softmax(r);
    if (o.skipped) GTEST_SKIP() << "no hipRTC";
    EXPECT_EQ(o.failure, "") << o.plan;
  }
}

TEST_P(gcn_softmax, within_its_bound_by_a_card_that_is_off_by_an_ulp) {
  for (const rowsmith::test::softmax_case& c : rowsmith::test::softmax_cases()) {
    if (c.width != 49 && c.width != 1000 && c.width != 50257) continue;
    SCOPED_TRACE(c.name);
    kernel_run r;
    r.of = shortened(c);
    r.arch = GetParam();
    r.perturb = true;
    for (r.seed = 1; r.seed < 4; ++r.seed) {
      r.spread = r.seed == 3 ? 3000 : 3;  // large logits: only the greatest matter
      const kernel_outcome o = run_softmax(r);
      if (o.skipped) GTEST_SKIP() << "no hipRTC";
      EXPECT_EQ(o.failure, "") << o.plan;
    }
  }
}

TEST(gcn_softmax_of_the_family, a_few_cases) {
  for (const char* arch : {"gfx900", "gfx908"}) {
    for (const rowsmith::test::softmax_case& c : rowsmith::test::softmax_cases()) {
      if (c.width != 49 && c.width != 1000 && c.width != 50257) continue;
      SCOPED_TRACE(std::string(arch) + " " + c.name);
      kernel_run r;
      r.of = shortened(c);
      r.arch = arch;
      const kernel_outcome o = run_softmax(r);
      if (o.skipped) GTEST_SKIP() << "no hipRTC";
      EXPECT_EQ(o.failure, "") << o.plan;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(archs, gcn_softmax, testing::Values("gfx906", "gfx90a"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace rowsmith::gcn::test
