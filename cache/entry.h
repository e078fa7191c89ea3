// entry: one built kernel as the cache keeps it, and the bytes of its file (FORMAT.md).
//
// Thread promise: encode and decode are pure functions; an entry is a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cache/key.h"
#include "rowsmith/status.h"

namespace rowsmith::cache {

struct entry {
  cache::key key;
  std::string metadata;  // the owner's own; opaque bytes here
  std::string payload;   // the binary itself
  std::string layer;     // filled by get(): the name of the store that answered. Never written.
};

inline constexpr std::uint32_t entry_schema = 1;

// The file's bytes. Equal entries give equal bytes, on every machine.
std::string encode(const entry& e);

// The entry, or code::corrupt with the first thing that is wrong. Any bytes may be passed.
result<entry> decode(std::string_view bytes);

struct entry_head {
  cache::key key;
  std::uint64_t metadata_bytes = 0;
  std::uint64_t payload_bytes = 0;
};

// How many first bytes of a file decode_head() wants at most.
inline constexpr std::size_t entry_head_limit = 64 * 1024;

// Key and lengths from the first bytes of a file of `file_size` bytes, for listings: the checksum is not looked at.
result<entry_head> decode_head(std::string_view prefix, std::uint64_t file_size);

}  // namespace rowsmith::cache
