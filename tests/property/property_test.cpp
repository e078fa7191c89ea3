// Any kernel, any tensors: what comes out is what float64 says, within the bounds of docs/numerics.md; nothing else is
// written; the same call gives the same bits; and what is no request is refused before anything is written.
#include <gtest/gtest.h>

#include "property/run.h"
#include "support/softmax_check.h"

namespace rowsmith::test {
namespace {

class property : public on_device, public testing::WithParamInterface<int> {};

TEST_P(property, any_call_at_all) {
  const property_run& run = the_run();
  constexpr int enough_failures = 3;
  int failures = 0;
  for (int k = GetParam(); k < run.kernels && failures < enough_failures && !run.enough(); k += slices) {
    if (run.only_kernel < 0 || run.only_kernel == k) failures += !run_kernel(k);
  }
  EXPECT_TRUE(run.done > 0 || run.only_kernel >= 0 || failures > 0) << "nothing was drawn";
}

INSTANTIATE_TEST_SUITE_P(kernels, property, testing::Range(0, slices));

}  // namespace
}  // namespace rowsmith::test
