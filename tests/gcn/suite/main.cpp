// The suites that see the library's public headers alone: ROWSMITH_TEST_DOUBLE is the double's folder,
// ROWSMITH_TEST_ARCH its card, ROWSMITH_TEST_SCALAR forces the scalar fallback; ROWSMITH_TEST_COMPILER, where it is
// defined, compiles in place of the one that is asked first.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "gcn/suite/double.h"
#include "rowsmith/runtime.h"
#include "support/softmax_check.h"

int main(int argc, char** argv) {
  using namespace rowsmith::test;
  use_double(ROWSMITH_TEST_DOUBLE, ROWSMITH_TEST_ARCH);
  ::setenv("HIPSIM_DEVICES", "2", 0);
  ::setenv("ROWSMITH_WIDTH", "exact", 0);  // every width is to have its own kernel, however many tests ask
#ifdef ROWSMITH_TEST_COMPILER
  ::setenv("ROWSMITH_HIP_COMPILER", ROWSMITH_TEST_COMPILER, 0);
#endif
  if (ROWSMITH_TEST_SCALAR) ::setenv("ROWSMITH_FORCE_SCALAR", "1", 1);
  testing::InitGoogleTest(&argc, argv);
  // The fallback takes one thread block a row and many instructions an element: narrow rows tell as much, and few.
  if (ROWSMITH_TEST_SCALAR && GTEST_FLAG_GET(filter) == "*") {
    GTEST_FLAG_SET(filter, "-*/w????*:sizes.*:*.J7_many_rows:*.B1_rows_and_columns_*");
  }
  device_under_test& d = under_test();
  d.where = {rowsmith::device_kind::hip, 0};
  d.scalar = ROWSMITH_TEST_SCALAR;
  testing::UnitTest::GetInstance()->listeners().Append(new recover_between_tests);
  const int failed = RUN_ALL_TESTS();
  if (const simulated_hip& hip = simulated_hip::get(); hip.problem.empty()) {
    const rowsmith::counter_values n = rowsmith::counters();
    std::printf("%s: %llu launches, %llu wave-instructions; %llu kernels compiled, %llu from disk\n",
                std::getenv("HIPSIM_ARCH"), static_cast<unsigned long long>(hip.launches()),
                static_cast<unsigned long long>(hip.instructions()), static_cast<unsigned long long>(n.compiled),
                static_cast<unsigned long long>(n.loaded_from_disk));
  }
  return failed;
}
