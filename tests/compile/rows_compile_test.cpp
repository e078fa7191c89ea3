// The kernels of gathers, moments and columns through the real compilers.
#include <gtest/gtest.h>

#include "compile/promises.h"
#include "support/row_cases.h"

namespace rowsmith {
namespace {

class rows_compile : public testing::TestWithParam<test::target_name> {};

TEST_P(rows_compile, with_no_spill_and_wide_accesses) {
  std::vector<test::named_request> calls;
  for (const test::row_case& c : test::row_cases()) calls.push_back({c.name, c.what});
  test::expect_promises_kept(calls, GetParam());
}

INSTANTIATE_TEST_SUITE_P(targets, rows_compile, testing::ValuesIn(test::usual_targets), test::arch_of);

}  // namespace
}  // namespace rowsmith
