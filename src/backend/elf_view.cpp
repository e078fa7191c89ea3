#include "backend/elf_view.h"

#include <elf.h>

#include <optional>
#include <string>

namespace rowsmith {
namespace {

using image_bytes = std::span<const std::byte>;

status corrupt(const std::string& why) { return {code::corrupt, "the machine code is not a whole ELF file: " + why}; }

std::optional<image_bytes> slice(image_bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

// A NUL-terminated string inside a string table.
std::optional<std::string_view> text_at(image_bytes table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const char* text = reinterpret_cast<const char*>(table.data()) + offset;
  const void* end = std::memchr(text, 0, table.size() - offset);
  if (end == nullptr) return std::nullopt;
  return std::string_view(text, static_cast<std::size_t>(static_cast<const char*>(end) - text));
}

}  // namespace

result<elf_view> elf_view::parse(image_bytes image) {
  Elf64_Ehdr header;
  if (!read_at(image, 0, header)) return corrupt("shorter than its header");
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return corrupt("no ELF magic");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return corrupt("not 64-bit little-endian");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return corrupt("odd section headers");

  // Segments are not read further, but a file cut within one is not whole.
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr)) return corrupt("odd program headers");
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > image.size() || !read_at(image, header.e_phoff + i * sizeof segment, segment)) {
      return corrupt("program headers past the end");
    }
    if (!slice(image, segment.p_offset, segment.p_filesz)) return corrupt("a segment past the end");
  }

  std::vector<Elf64_Shdr> raw(header.e_shnum);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    if (header.e_shoff > image.size() || !read_at(image, header.e_shoff + i * sizeof(Elf64_Shdr), raw[i])) {
      return corrupt("section headers past the end");
    }
    if (raw[i].sh_type != SHT_NOBITS && raw[i].sh_type != SHT_NULL && !slice(image, raw[i].sh_offset, raw[i].sh_size)) {
      return corrupt("a section past the end");
    }
  }
  const auto contents = [&](const Elf64_Shdr& s) {
    const bool in_file = s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL;
    return in_file ? image.subspan(s.sh_offset, s.sh_size) : image_bytes();
  };
  if (header.e_shstrndx >= raw.size()) return corrupt("no section names");

  elf_view view;
  view.machine_ = header.e_machine;
  view.os_abi_ = header.e_ident[EI_OSABI];
  view.abi_version_ = header.e_ident[EI_ABIVERSION];
  view.flags_ = header.e_flags;
  const image_bytes names = contents(raw[header.e_shstrndx]);
  int symbol_table = -1;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto name = text_at(names, raw[i].sh_name);
    if (!name) return corrupt("a section without a name");
    view.sections_.push_back({*name, raw[i].sh_type, raw[i].sh_addr, raw[i].sh_size, contents(raw[i])});
    if (raw[i].sh_type == SHT_SYMTAB || (raw[i].sh_type == SHT_DYNSYM && symbol_table < 0)) {
      symbol_table = static_cast<int>(i);
    }
  }
  if (symbol_table < 0) return view;

  const Elf64_Shdr& table = raw[static_cast<std::size_t>(symbol_table)];
  if (table.sh_link >= raw.size()) return corrupt("symbols without names");
  const image_bytes symbol_names = contents(raw[table.sh_link]), entries = contents(table);
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= entries.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym s;
    read_at(entries, at, s);
    const auto name = text_at(symbol_names, s.st_name);
    if (!name) return corrupt("a symbol without a name");
    view.symbols_.push_back(
        {*name, static_cast<std::uint8_t>(ELF64_ST_TYPE(s.st_info)), s.st_shndx, s.st_value, s.st_size});
  }
  return view;
}

const elf_view::section* elf_view::find(std::string_view name) const noexcept {
  for (const section& s : sections_) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

const elf_view::symbol* elf_view::find_symbol(std::string_view name) const noexcept {
  for (const symbol& s : symbols_) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::span<const std::byte> elf_view::bytes_of(const symbol& s) const noexcept {
  if (s.section >= sections_.size()) return {};
  const section& home = sections_[s.section];
  if (s.value < home.address) return {};
  const std::uint64_t offset = s.value - home.address;
  if (offset > home.bytes.size() || s.size > home.bytes.size() - offset) return {};
  return home.bytes.subspan(offset, s.size);
}

}  // namespace rowsmith
