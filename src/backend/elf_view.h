// elf_view: a read-only look at a 64-bit little-endian ELF image in memory. Every offset and length is checked when it
// is parsed, so that truncated or damaged bytes are refused and nothing outside the image is ever read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "rowsmith/status.h"

namespace rowsmith {

class elf_view {
 public:
  struct section {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0;  // in memory; the bytes are empty where the file holds none
    std::span<const std::byte> bytes;
  };
  struct symbol {
    std::string_view name;
    std::uint8_t type = 0;  // STT_…
    std::uint32_t section = 0;
    std::uint64_t value = 0;
    std::uint64_t size = 0;
  };

  // corrupt, with the reason, for anything that is not a whole, consistent ELF file.
  static result<elf_view> parse(std::span<const std::byte> image);

  int machine() const noexcept { return machine_; }
  int os_abi() const noexcept { return os_abi_; }
  int abi_version() const noexcept { return abi_version_; }
  std::uint32_t flags() const noexcept { return flags_; }
  const std::vector<section>& sections() const noexcept { return sections_; }
  const std::vector<symbol>& symbols() const noexcept { return symbols_; }  // index as in the file; .symtab or .dynsym

  const section* find(std::string_view name) const noexcept;
  const symbol* find_symbol(std::string_view name) const noexcept;

  // A symbol's bytes inside its section; empty when it does not lie there.
  std::span<const std::byte> bytes_of(const symbol& s) const noexcept;

 private:
  int machine_ = 0, os_abi_ = 0, abi_version_ = 0;
  std::uint32_t flags_ = 0;
  std::vector<section> sections_;
  std::vector<symbol> symbols_;
};

// Reads one value; false past the end.
template <class T>
bool read_at(std::span<const std::byte> bytes, std::uint64_t offset, T& value) noexcept {
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

}  // namespace rowsmith
