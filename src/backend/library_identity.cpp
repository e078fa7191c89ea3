#include "backend/library_identity.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

// A file, read at places rather than from its beginning: a library has a hundred megabytes.
class file {
 public:
  explicit file(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~file() {
    if (fd_ >= 0) ::close(fd_);
  }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  // -1: it cannot be read.
  std::int64_t size() const {
    struct stat about {};
    return fd_ >= 0 && ::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : -1;
  }

  // How many bytes were there; -1: reading failed.
  ssize_t read_some(std::uint64_t offset, void* to, std::size_t size) const {
    ssize_t n = 0;
    do n = ::pread(fd_, to, size, static_cast<off_t>(offset));
    while (n < 0 && errno == EINTR);
    return n;
  }

  bool read(std::uint64_t offset, void* to, std::size_t size) const {
    return read_some(offset, to, size) == static_cast<ssize_t>(size);
  }

 private:
  const int fd_;
};

// The descriptor of the GNU build-id note; empty when there is none.
std::string build_note(const file& f) {
  Elf64_Ehdr header;
  if (!f.read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!f.read(header.e_phoff, segments.data(), segments.size() * sizeof segments[0])) return {};
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > (1u << 16)) continue;
    std::vector<char> notes(segment.p_filesz);
    if (!f.read(segment.p_offset, notes.data(), notes.size())) continue;
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
    const file f(path);
    const std::int64_t size = f.size();
    if (size < 0) return {};
    hash.add(reinterpret_cast<const char*>(&size), sizeof size);
    if (const std::string note = build_note(f); !note.empty()) {
      hash.add(note.data(), note.size());
      continue;
    }
    std::vector<char> block(1 << 20);
    std::uint64_t at = 0;
    for (ssize_t n = 0; (n = f.read_some(at, block.data(), block.size())) != 0; at += static_cast<std::uint64_t>(n)) {
      if (n < 0) return {};
      hash.add(block.data(), static_cast<std::size_t>(n));
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  return text;
}

}  // namespace rowsmith
