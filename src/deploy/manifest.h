// manifest: requests as lines of JSON (docs/manifest.md). A line says everything of a request that a kernel may depend
// on, and nothing of its data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/facts.h"
#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

inline constexpr int manifest_version = 1;

// One line, with its end.
std::string to_line(const request& r);

// A request whose operands lie at pretended addresses: of the recorded alignment and aliasing, far from each other. Any
// bytes may be passed. invalid_argument says what is wrong; a request that parses is one that inspection takes.
result<request> parse_line(std::string_view line);

struct manifest {
  struct entry {
    request asked;
    shape_class fixed;  // as inspection finds it
    std::int64_t line;  // of the first request of this class
  };
  struct problem {
    std::int64_t line;
    std::string why;
  };
  std::vector<entry> entries;  // one a class
  std::vector<problem> problems;
};

// Lines that are no requests become problems; empty lines and lines that begin with # are passed over. not_found or
// io_error where the file cannot be read.
result<manifest> read_manifest(const std::string& path);
manifest parse_manifest(std::string_view text);

// invalid_argument where `m` has no line that could be a request: an empty recording is no good news.
status check_asks(const manifest& m, const std::string& path);

}  // namespace rowsmith
