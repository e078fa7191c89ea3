// descriptor: a file descriptor that is closed with its owner; and reads and writes that come to an end.
#pragma once

#include <cstddef>
#include <utility>

namespace rowsmith {

class descriptor {
 public:
  explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() { reset(); }
  int get() const noexcept { return fd_; }
  void reset(int fd = -1) noexcept;

 private:
  int fd_;
};

// All of it, interrupted or not. False: errno says why, or the other end is closed.
bool write_all(int to, const void* bytes, std::size_t count) noexcept;
bool read_all(int from, void* bytes, std::size_t count) noexcept;

}  // namespace rowsmith
