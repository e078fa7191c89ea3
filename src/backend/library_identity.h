// library_identity: which build of a library a file is: its size and its own build note, never its path or its time.
#pragma once

#include <span>
#include <string>

namespace rowsmith {

// 16 hex digits over the size and build note of every file, in order. A file without a build note is hashed whole;
// one that cannot be read makes the answer empty.
std::string library_identity(std::span<const std::string> files);

}  // namespace rowsmith
