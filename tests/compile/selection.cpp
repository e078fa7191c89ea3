// What this program compiles: ROWSMITH_COMPILE_ALL is true or false.
#include "compile/promises.h"

namespace rowsmith::test {

bool compiles_all() noexcept { return ROWSMITH_COMPILE_ALL; }

}  // namespace rowsmith::test
