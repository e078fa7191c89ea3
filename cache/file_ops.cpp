#include "cache/file_ops.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include "base/no_destructor.h"
#include "cache/errno_status.h"
#include "cache/hash.h"

namespace rowsmith::cache {
namespace {

template <class Call>
auto answer(Call call) -> decltype(call()) {
  for (;;) {
    const auto r = call();
    if (r >= 0) return r;
    if (errno != EINTR) return static_cast<decltype(call())>(-errno);
  }
}

file_info to_info(const struct stat& s) {
  file_info info;
  info.type = S_ISREG(s.st_mode)   ? file_info::kind::regular
              : S_ISDIR(s.st_mode) ? file_info::kind::directory
              : S_ISLNK(s.st_mode) ? file_info::kind::symlink
                                   : file_info::kind::other;
  info.mode = s.st_mode & 07777u;
  info.owner = s.st_uid;
  info.size = static_cast<std::uint64_t>(s.st_size);
  info.modified = static_cast<std::int64_t>(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
  return info;
}

std::uint64_t random_bits() {
  try {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  } catch (const std::exception&) {  // no entropy source: O_EXCL still tells two names apart
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
}

class posix_ops final : public file_ops {
 public:
  int open(const std::string& path, int flags, std::uint32_t mode) override {
    return answer([&] { return ::open(path.c_str(), flags | O_CLOEXEC, static_cast<mode_t>(mode)); });
  }
  ssize_t read(int fd, void* to, std::size_t bytes) override {
    return answer([&] { return ::read(fd, to, bytes); });
  }
  ssize_t write(int fd, const void* from, std::size_t bytes) override {
    return answer([&] { return ::write(fd, from, bytes); });
  }
  int fsync(int fd) override {
    return answer([&] { return ::fsync(fd); });
  }
  int close(int fd) override {
    // After EINTR the descriptor is gone on Linux, and may already be another thread's.
    return ::close(fd) == 0 || errno == EINTR ? 0 : -errno;
  }
  int fstat(int fd, file_info& info) override {
    struct stat s;
    if (::fstat(fd, &s) != 0) return -errno;
    info = to_info(s);
    return 0;
  }
  int stat(const std::string& path, file_info& info) override {
    struct stat s;
    if (::stat(path.c_str(), &s) != 0) return -errno;
    info = to_info(s);
    return 0;
  }
  int lstat(const std::string& path, file_info& info) override {
    struct stat s;
    if (::lstat(path.c_str(), &s) != 0) return -errno;
    info = to_info(s);
    return 0;
  }
  int rename(const std::string& from, const std::string& to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : -errno;
  }
  int unlink(const std::string& path) override { return ::unlink(path.c_str()) == 0 ? 0 : -errno; }
  int rmdir(const std::string& path) override { return ::rmdir(path.c_str()) == 0 ? 0 : -errno; }
  int mkdir(const std::string& path, std::uint32_t mode) override {
    return ::mkdir(path.c_str(), static_cast<mode_t>(mode)) == 0 ? 0 : -errno;
  }
  int may_create_in(const std::string& folder) override {
    if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return -errno;
    struct statfs fs;  // root has every right in these, and mkdir fails all the same
    if (::statfs(folder.c_str(), &fs) == 0 && (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC))
      return -EPERM;
    return 0;
  }
  int list(const std::string& path, std::vector<std::string>& names) override {
    DIR* dir = ::opendir(path.c_str());
    if (dir == nullptr) return -errno;
    errno = 0;
    while (const dirent* d = ::readdir(dir)) {
      const std::string_view name = d->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
      errno = 0;
    }
    const int error = errno;
    ::closedir(dir);
    return -error;
  }
  int touch(const std::string& path) override {
    return ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
  }

  std::uint32_t user() override { return ::geteuid(); }
  std::int64_t now() override {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  }
  std::string unique_name() override {
    char host[256] = {};
    (void)::gethostname(host, sizeof host - 1);  // process ids repeat across the hosts of a shared home
    return fmt::format("{}-{}-{}-{:016x}", hex(digest(host)).substr(0, 8), ::getpid(), ::syscall(SYS_gettid),
                       random_bits());
  }
};

// strerror_r comes in two forms; these take either.
[[maybe_unused]] const char* text_of(const char* text, const char*) { return text; }
[[maybe_unused]] const char* text_of(int, const char* buffer) { return buffer; }

}  // namespace

file_ops& posix_file_ops() {
  static no_destructor<posix_ops> ops;
  return *ops;
}

status errno_status(const std::string& what, long negative) {
  const int error = static_cast<int>(-negative);
  char buffer[128] = {};
  const std::string text = text_of(::strerror_r(error, buffer, sizeof buffer), buffer);
  const bool absent = error == ENOENT || error == ENOTDIR;
  return status(absent ? code::not_found : code::io_error, what, error, text);
}

}  // namespace rowsmith::cache
