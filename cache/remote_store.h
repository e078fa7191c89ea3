// remote_store: entries on a Redis server, shared by many machines. The only file that sees hiredis is its .cpp.
//
// Whoever can write to the server can write here, so an entry is trusted no more than a file found in the street: it is
// decoded, compared and checked as from a disk, and where it needs a MAC (machine code of this very CPU always does),
// or where this process has a key, nothing without the right MAC is looked at.
//
// The server is a convenience. Every call has its time limit; after a failure the server is left alone for a while,
// longer each time, and the answer is "not found" at once. A failure is a counter and one log line.
//
// Thread promise: as every store; calls take turns on one connection. The name of the host is resolved by the system,
// whose patience is its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cache/remote_url.h"
#include "cache/store.h"

namespace rowsmith::cache {

struct remote_options {
  remote_url url;
  // The MAC of some bytes, 32 bytes long. Empty: this process has no key.
  std::function<result<std::string>(std::string_view)> mac;
  std::function<bool(const key&)> needs_mac;  // may this entry be used only with a MAC? Empty: all of them
  binary_check check;                         // run on every entry fetched
  std::uint64_t max_bytes = 16ull << 20;      // of one entry, either way
  std::chrono::milliseconds connect_timeout{250};
  std::chrono::milliseconds command_timeout{1000};
  std::chrono::milliseconds first_pause{1000};  // after a failure; doubled by each that follows
  std::chrono::milliseconds longest_pause{60'000};
};

// Connects to nobody yet. code::unsupported in a build without hiredis, and for a rediss URL on a machine without
// libssl.
result<std::unique_ptr<store>> make_remote_store(remote_options options);

// What lies on the server: "RSR0" and an entry's bytes, or "RSR1", their MAC and the bytes (FORMAT.md).
std::string seal(std::string_view entry_bytes, std::string_view mac);
struct sealed {
  std::string_view entry_bytes;
  std::string_view mac;  // empty: none
};
result<sealed> unseal(std::string_view value);

// What the MAC is of: the bytes below a text that no other use of the same key has.
std::string mac_input(std::string_view entry_bytes);

}  // namespace rowsmith::cache
