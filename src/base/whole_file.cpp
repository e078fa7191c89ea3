#include "base/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rowsmith {

namespace {

struct descriptor {
  int fd;
  ~descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

status failed(const std::string& path, const char* what) {
  const int error = errno;
  return status(error == ENOENT ? code::not_found : code::io_error, fmt::format("{}: cannot be {}", path, what), error,
                std::strerror(error));
}

}  // namespace

// By its end, not by its size: it may be a pipe, or grow.
result<std::string> read_whole_file(const std::string& path, std::uint64_t most) {
  const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return failed(path, "opened");
  struct stat about {};
  if (::fstat(file.fd, &about) != 0) return failed(path, "read");
  const auto size = static_cast<std::uint64_t>(S_ISREG(about.st_mode) ? about.st_size : 0);
  std::string bytes;
  for (std::size_t have = 0;;) {
    if (size > most || have > most) {
      return status(code::invalid_argument,
                    fmt::format("{}: {} bytes, at most {} are read", path, std::max<std::uint64_t>(size, have), most));
    }
    bytes.resize(std::max<std::size_t>(have + (std::size_t{64} << 10), size + 1));
    const ssize_t n = ::read(file.fd, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path, "read");
    have += static_cast<std::size_t>(n);
    if (n == 0) return bytes.resize(have), std::move(bytes);
  }
}

}  // namespace rowsmith
