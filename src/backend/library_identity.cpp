#include "backend/library_identity.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace rowsmith {
namespace {

// FNV-1a: the inputs are build notes, which are digests already.
class fnv {
 public:
  void add(const char* bytes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      state_ = (state_ ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3ull;
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

class open_file {
 public:
  explicit open_file(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat s{};
    size_ = fd_ >= 0 && ::fstat(fd_, &s) == 0 && S_ISREG(s.st_mode) ? s.st_size : -1;
  }
  ~open_file() {
    if (fd_ >= 0) ::close(fd_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  off_t size() const { return size_; }  // -1: not a file that can be read
  ssize_t read_at(std::uint64_t offset, void* to, std::size_t most) const {
    return ::pread(fd_, to, most, static_cast<off_t>(offset));
  }

 private:
  int fd_;
  off_t size_ = -1;
};

// The descriptor of the GNU build-id note; empty when there is none.
std::string build_note(const open_file& file) {
  const auto read_at = [&](std::uint64_t offset, void* to, std::size_t size) {
    return file.read_at(offset, to, size) == static_cast<ssize_t>(size);
  };
  Elf64_Ehdr header;
  if (!read_at(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(header.e_phoff + i * sizeof segment, &segment, sizeof segment)) return {};
    if (segment.p_type != PT_NOTE || segment.p_filesz > (1u << 16)) continue;
    std::vector<char> notes(segment.p_filesz);
    if (!read_at(segment.p_offset, notes.data(), notes.size())) continue;
    for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
      Elf64_Nhdr note;
      std::memcpy(&note, notes.data() + at, sizeof note);
      const std::size_t name = at + sizeof note, text = name + ((note.n_namesz + 3ull) & ~3ull);
      if (text > notes.size() || note.n_descsz > notes.size() - text) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0) {
        return {notes.data() + text, note.n_descsz};
      }
      at = text + ((note.n_descsz + 3ull) & ~3ull);
    }
  }
  return {};
}

}  // namespace

std::string library_identity(std::span<const std::string> files) {
  fnv hash;
  for (const std::string& path : files) {
    const open_file file(path);
    if (file.size() < 0) return {};
    const auto size = static_cast<std::uint64_t>(file.size());
    hash.add(reinterpret_cast<const char*>(&size), sizeof size);
    if (const std::string note = build_note(file); !note.empty()) {
      hash.add(note.data(), note.size());
      continue;
    }
    std::vector<char> block(1 << 20);
    std::uint64_t at = 0;
    for (ssize_t got = 0; (got = file.read_at(at, block.data(), block.size())) > 0; at += static_cast<std::uint64_t>(got)) {
      hash.add(block.data(), static_cast<std::size_t>(got));
    }
    if (at != size) return {};
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  return text;
}

}  // namespace rowsmith
