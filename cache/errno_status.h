// A refusal of the operating system as a status: the number and its text are the vendor's.
#pragma once

#include <string>

#include "rowsmith/status.h"

namespace rowsmith::cache {

// `negative` is what a file_ops call answered. code::not_found for a path that is not there, else code::io_error.
status errno_status(const std::string& what, long negative);

}  // namespace rowsmith::cache
