// The suites that see the library's insides: the backend by itself.
#include <gtest/gtest.h>

#include "gcn/suite/double.h"

int main(int argc, char** argv) {
  rowsmith::test::use_double(ROWSMITH_TEST_DOUBLE, ROWSMITH_TEST_ARCH);
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new rowsmith::test::recover_between_tests);
  return RUN_ALL_TESTS();
}
