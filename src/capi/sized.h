// sized: structures that begin with their own size, between callers and libraries of different ages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "rowsmith/status.h"

namespace rowsmith::capi {

// A size no structure of ours could ever have: most likely struct_size was left unset.
constexpr std::uint32_t absurd_size = 1u << 16;

inline status bad_size(const char* name, std::uint32_t found, std::size_t ours) {
  return {code::invalid_argument, std::string(name) + ".struct_size: found " + std::to_string(found) +
                                      ", sizeof of the structure is needed (here " + std::to_string(ours) + ")"};
}

// Reads the caller's structure over *into, which holds the defaults. What an older caller lacks keeps its default; what
// a newer caller has beyond ours must be zero, else it asks for something this library does not know.
template <class T>
status read_sized(const char* name, const T* from, T* into) {
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof size);
  if (size < sizeof size || size > absurd_size) return bad_size(name, size, sizeof(T));
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char b) { return b != 0; })) {
    return {code::unsupported, std::string(name) + ": has " + std::to_string(size) + " bytes, and those beyond " +
                                   std::to_string(sizeof(T)) + " ask for something this library does not know"};
  }
  std::memcpy(into, from, std::min<std::size_t>(size, sizeof(T)));
  return {};
}

// Writes as much of `from` as the caller's structure has room for, and zero to what it has beyond. struct_size stays.
template <class T>
status write_sized(const char* name, T from, T* into) {
  std::uint32_t size = 0;
  std::memcpy(&size, into, sizeof size);
  if (size < sizeof size || size > absurd_size) return bad_size(name, size, sizeof(T));
  from.struct_size = size;
  std::memcpy(static_cast<void*>(into), &from, std::min<std::size_t>(size, sizeof(T)));
  if (size > sizeof(T)) std::memset(reinterpret_cast<unsigned char*>(into) + sizeof(T), 0, size - sizeof(T));
  return {};
}

}  // namespace rowsmith::capi
