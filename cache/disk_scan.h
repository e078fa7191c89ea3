// What lies in a cache directory, and what may go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache/file_ops.h"

namespace rowsmith::cache {

inline constexpr std::string_view entry_suffix = ".rsk";
inline constexpr std::string_view damaged_suffix = ".rsk.bad";
inline constexpr std::string_view scratch_name = "tmp";  // the folder of compilers' temporaries

struct found_file {
  enum class kind { entry, temporary, damaged } type = kind::entry;
  std::string path;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since the epoch; reading an entry counts
};

// Files of ours in the two-digit folders. What cannot be looked at, and what is not ours, is left out.
std::vector<found_file> scan(file_ops& ops, const std::string& root);

// Entries of the same *what* as the entry of the shorter name `first` (see disk_store.h), by other builders; the most
// recently used one first.
std::vector<std::string> other_builders(file_ops& ops, const std::string& first);

// Removes what killed compilers left in the scratch folder: folders last changed at or before `stale_before` and the
// files in them.
void sweep_scratch(file_ops& ops, const std::string& root, std::int64_t stale_before);

struct trimmed {
  std::uint64_t evicted = 0;     // entries removed
  std::uint64_t damaged = 0;     // files removed that had been set aside
  std::uint64_t bytes_left = 0;  // of entries, temporaries and damaged files
};

// Removes leftovers older than `stale_seconds`, then, if the rest exceeds `max_bytes`, damaged files and after them the
// least recently used entries until at most `down_to` remain. Where the entry of a shorter name goes, another builder's
// takes the name. Anybody may be reading or writing meanwhile.
trimmed trim(file_ops& ops, const std::string& root, std::int64_t stale_seconds, std::uint64_t max_bytes,
             std::uint64_t down_to);

}  // namespace rowsmith::cache
