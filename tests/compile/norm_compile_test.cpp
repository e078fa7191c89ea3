// Every kernel of the norms through the real compilers.
#include <gtest/gtest.h>

#include "compile/promises.h"
#include "support/norm_cases.h"

namespace rowsmith {
namespace {

class norms_compile : public testing::TestWithParam<test::target_name> {};

TEST_P(norms_compile, I1_I2_with_no_spill_and_wide_accesses) {
  std::vector<test::named_request> calls;
  for (const test::norm_case& c : test::norm_cases()) calls.push_back({c.name, test::request_of(c)});
  test::expect_promises_kept(calls, GetParam());
}

INSTANTIATE_TEST_SUITE_P(targets, norms_compile, testing::ValuesIn(test::usual_targets), test::arch_of);

}  // namespace
}  // namespace rowsmith
