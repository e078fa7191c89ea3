// bundle: many entries in one file (BUNDLE.md), to carry a cache to other machines. Equal sets of entries give equal
// bytes.
//
// Thread promise: pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/entry.h"
#include "rowsmith/status.h"

namespace rowsmith::cache {

inline constexpr std::uint32_t bundle_schema = 1;
inline constexpr std::size_t bundle_mac_bytes = 32;

// A keyed code of 32 bytes over some bytes (HMAC-SHA256). Supplied by the owner, who has the key and a library.
using mac_function = std::function<result<std::string>(std::string_view)>;

// The bundle's bytes; signed where there is a `mac`. Entries of equal keys: the last one given is kept.
result<std::string> encode_bundle(const std::vector<entry>& entries, const mac_function& mac = {});

// What read_bundle() finds. Views of the bytes it was given.
struct bundle {
  std::vector<std::string_view> entries;  // each as decode() takes it
  std::string_view mac;                   // empty: nobody signed it
  std::string_view covered;               // what the mac is of
};

// code::corrupt with the first thing that is wrong: form, lengths, checksum. Neither the mac nor the entries are
// looked at. Any bytes may be passed.
result<bundle> read_bundle(std::string_view bytes);

// Does `b` carry the code that `mac` gives? Takes the same time whatever differs.
status check_mac(const bundle& b, const mac_function& mac);

}  // namespace rowsmith::cache
