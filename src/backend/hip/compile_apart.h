// compile_apart: a compile in a process of its own. Of AMD's compilers a process can run but one at a time.
#pragma once

#include <string>

#include "backend/hip/toolchain.h"

namespace rowsmith::hip {

// As by.compile(). compile_failed as well where the compiler ends its process. Costs a copy of this process, and so is
// for those that build many kernels, not for one that serves.
result<binary> compile_apart(toolchain& by, const source& s, const std::string& arch);

}  // namespace rowsmith::hip
