// Compiled for every program: ROWSMITH_TEST_DEVICE, ROWSMITH_TEST_SCALAR and ROWSMITH_TEST_WIDTH say what it is.
#include "support/device_program.h"

#include "rowsmith/runtime.h"

namespace rowsmith::test {

const device_program this_program{ROWSMITH_TEST_DEVICE, ROWSMITH_TEST_SCALAR, ROWSMITH_TEST_WIDTH};

std::string probe(device where) {
  const auto memory = allocate(where, 16);
  if (!memory) return memory.status().to_string() + "\n" + memory.status().detail();
  const status freed = release(where, *memory);
  return freed.ok() ? "" : freed.to_string();
}

}  // namespace rowsmith::test
