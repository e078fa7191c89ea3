// Compiled for every program: ROWSMITH_TEST_DEVICE, ROWSMITH_TEST_SCALAR and ROWSMITH_TEST_WIDTH say what it is.
#include "support/device_program.h"

namespace rowsmith::test {

const device_program this_program{ROWSMITH_TEST_DEVICE, ROWSMITH_TEST_SCALAR, ROWSMITH_TEST_WIDTH};

}  // namespace rowsmith::test
