// scalar: the fallback kernels that are compiled into the library, by entry name. They need no compiler at run time.
#pragma once

#include <string_view>

#include "backend/host/host_kernel.h"

namespace rowsmith::host {

// null when there is no such kernel.
row_function compiled_in(std::string_view entry) noexcept;

}  // namespace rowsmith::host
