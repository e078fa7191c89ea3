// headers: kernel_src as it is embedded in this build, gathered into one text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith {

// The named headers and all that they include, each once, every one after what it includes. `#line` directives keep
// compilers' messages pointing at kernel_src. internal when a name is not embedded.
result<std::string> gather_headers(std::span<const std::string> names);

}  // namespace rowsmith
