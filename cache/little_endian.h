// little_endian: numbers as files hold them, the lowest byte first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rowsmith::cache {

inline void put_little(std::string& to, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(number >> (8 * i));
}

// REQUIRES: at + bytes <= from.size().
inline std::uint64_t get_little(std::string_view from, std::size_t at, int bytes) {
  std::uint64_t number = 0;
  for (int i = 0; i < bytes; ++i) {
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(from[at + static_cast<std::size_t>(i)])) << (8 * i);
  }
  return number;
}

}  // namespace rowsmith::cache
