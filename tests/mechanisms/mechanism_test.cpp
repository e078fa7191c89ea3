#include <gtest/gtest.h>

#include "mechanisms/cases.h"
#include "rowsmith/runtime.h"
#include "support/softmax_check.h"

namespace rowsmith::test {

std::vector<mechanism_case> all_mechanisms() {
  std::vector<mechanism_case> all;
  for (const auto some : {softmax_mechanisms, gradient_mechanisms, norm_mechanisms, row_mechanisms, element_mechanisms,
                          fused_mechanisms, width_mechanisms}) {
    for (mechanism_case& c : some()) all.push_back(std::move(c));
  }
  return all;
}

bool on_a_card() { return under_test().where.kind == device_kind::cuda; }

std::int64_t rows_for(std::int64_t few, std::int64_t many) { return on_a_card() ? many : few; }

void PrintTo(const mechanism_case& c, std::ostream* to) { *to << c.name; }

namespace {

class mechanisms : public on_device, public testing::WithParamInterface<mechanism_case> {};

TEST_P(mechanisms, keep_the_contract) {
  const counter_values before = counters();
  GetParam().run();
  if (under_test().scalar) return;
  EXPECT_EQ(counters().compile_failures, before.compile_failures)
      << "a kernel did not compile, and the fallback answered";
  EXPECT_EQ(counters().fallback_kernels, before.fallback_kernels) << "the fallback answered";
}

INSTANTIATE_TEST_SUITE_P(every, mechanisms, testing::ValuesIn(all_mechanisms()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace rowsmith::test
