// embedded: the kernel sources inside this library (cmake/embed.cmake generates the definitions from kernel_src at
// build time).
#pragma once

#include <span>
#include <string_view>

namespace rowsmith {

struct embedded_header {
  std::string_view path;  // as kernels include it: "row/arguments.h"
  std::string_view text;
};

// Sorted by path.
std::span<const embedded_header> embedded_headers();

// SHA-256 in hexadecimal over the paths and contents of the whole set; the same as
// `cd kernel_src && find . -name '*.h' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum | sha256sum`.
std::string_view embedded_hash();

}  // namespace rowsmith
