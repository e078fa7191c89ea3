// XXH3-128 as the cache uses it: a digest of bytes, and one of length-prefixed fields.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rowsmith::cache {

// Canonical byte order: the most significant byte first, the same on every machine.
using digest128 = std::array<unsigned char, 16>;

digest128 digest(std::string_view bytes);
std::string hex(const digest128& d);

class field_hasher {
 public:
  field_hasher();
  ~field_hasher();
  field_hasher(const field_hasher&) = delete;
  field_hasher& operator=(const field_hasher&) = delete;

  // Length first, then the bytes, so that ("ab", "c") and ("a", "bc") differ.
  field_hasher& add(std::string_view bytes);
  field_hasher& add(std::uint64_t number);
  digest128 finish() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace rowsmith::cache
