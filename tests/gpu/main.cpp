#include <gtest/gtest.h>

#include <cstdlib>

#include "gpu/driver.h"
#include "support/softmax_check.h"

int main(int argc, char** argv) {
  ::setenv("ROWSMITH_WIDTH", "exact", 0);
  testing::InitGoogleTest(&argc, argv);
  rowsmith::test::device_under_test& d = rowsmith::test::under_test();
  d.where = {rowsmith::device_kind::cuda, 0};
  if (!GTEST_FLAG_GET(list_tests)) d.unavailable = rowsmith::test::driver::get().problem;
  return RUN_ALL_TESTS();
}
