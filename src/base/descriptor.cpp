#include "base/descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace rowsmith {
namespace {

// `move` is read or write.
template <class Move, class Bytes>
bool move_all(Move move, int fd, Bytes at, std::size_t count) noexcept {
  while (count > 0) {
    const ssize_t n = move(fd, at, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

void descriptor::reset(int fd) noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

bool write_all(int to, const void* bytes, std::size_t count) noexcept {
  return move_all(::write, to, static_cast<const char*>(bytes), count);
}

bool read_all(int from, void* bytes, std::size_t count) noexcept {
  return move_all(::read, from, static_cast<char*>(bytes), count);
}

}  // namespace rowsmith
