#include "backend/host/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <limits>

namespace rowsmith::host {
namespace {

using image = std::span<const std::byte>;

// A copy of the T at `offset`; false when it does not lie inside.
template <class T>
bool read(image from, std::uint64_t offset, T* out) {
  if (offset > from.size() || from.size() - offset < sizeof(T)) return false;
  std::memcpy(out, from.data() + offset, sizeof(T));
  return true;
}

// `size` bytes at `offset`, or an empty image when they do not lie inside.
image part(image from, std::uint64_t offset, std::uint64_t size) {
  if (offset > from.size() || from.size() - offset < size) return {};
  return from.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

// Entry i of a table of `stride`-sized records.
template <class T>
bool read_row(image from, std::uint64_t table, std::uint64_t stride, std::uint64_t i, T* out) {
  if (stride < sizeof(T) || i > std::numeric_limits<std::uint64_t>::max() / stride) return false;
  const std::uint64_t step = i * stride;
  return step <= std::numeric_limits<std::uint64_t>::max() - table && read(from, table + step, out);
}

status refuse(std::string why) { return status(code::corrupt, "binary: " + std::move(why)); }

bool names(image strings, std::uint64_t at, std::string_view wanted) {
  const image text = part(strings, at, wanted.size() + 1);
  return text.size() == wanted.size() + 1 && std::memcmp(text.data(), wanted.data(), wanted.size()) == 0 &&
         text.back() == std::byte{0};
}

}  // namespace

status check_shared_object(image code, unsigned machine, std::string_view entry) {
  Elf64_Ehdr head;
  if (!read(code, 0, &head)) return refuse(fmt::format("{} bytes, an ELF header needs {}", code.size(), sizeof head));
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return refuse("the first 4 bytes are not ELF's");
  if (head.e_ident[EI_CLASS] != ELFCLASS64) return refuse("not of the 64-bit class");
  if (head.e_ident[EI_DATA] != ELFDATA2LSB) return refuse("not little-endian");
  if (head.e_type != ET_DYN) return refuse(fmt::format("type {}, a shared object is {}", head.e_type, ET_DYN));
  if (machine != 0 && head.e_machine != machine) {
    return refuse(fmt::format("built for machine {}, this target is {}", head.e_machine, machine));
  }

  // The loader maps segments: each must lie inside the file, or its pages would fault later.
  for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_row(code, head.e_phoff, head.e_phentsize, i, &segment)) return refuse("program header outside the file");
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    if (part(code, segment.p_offset, segment.p_filesz).size() != segment.p_filesz) {
      return refuse(fmt::format("segment {} lies outside the file", i));
    }
  }

  const std::uint64_t table_size = std::uint64_t{head.e_shnum} * head.e_shentsize;
  if (part(code, head.e_shoff, table_size).size() != table_size) return refuse("section headers outside the file");
  for (std::uint64_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    if (!read_row(code, head.e_shoff, head.e_shentsize, i, &table)) return refuse("section header outside the file");
    if (table.sh_type != SHT_DYNSYM) continue;
    if (table.sh_entsize != sizeof(Elf64_Sym)) return refuse("dynamic symbols of an odd size");
    if (part(code, table.sh_offset, table.sh_size).size() != table.sh_size) {
      return refuse("dynamic symbols outside the file");
    }
    if (table.sh_link >= head.e_shnum || !read_row(code, head.e_shoff, head.e_shentsize, table.sh_link, &strings)) {
      return refuse("dynamic symbols without names");
    }
    const image text = part(code, strings.sh_offset, strings.sh_size);
    for (std::uint64_t k = 0; k < table.sh_size / sizeof(Elf64_Sym); ++k) {
      Elf64_Sym symbol;
      if (!read_row(code, table.sh_offset, sizeof symbol, k, &symbol))
        return refuse("dynamic symbols outside the file");
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      if (names(text, symbol.st_name, entry)) return {};
    }
  }
  return refuse(fmt::format("it does not define \"{}\"", entry));
}

unsigned machine_of(std::string_view arch) {
  if (arch.starts_with("x86-64")) return EM_X86_64;
  if (arch.starts_with("aarch64")) return EM_AARCH64;
  return 0;
}

}  // namespace rowsmith::host
