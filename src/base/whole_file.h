// whole_file: the bytes of a file that somebody named.
#pragma once

#include <cstdint>
#include <string>

#include "rowsmith/status.h"

namespace rowsmith {

// not_found or io_error with the system's reason; invalid_argument of more than `most` bytes.
result<std::string> read_whole_file(const std::string& path, std::uint64_t most);

}  // namespace rowsmith
