// file_ops: the one door through which the cache touches files, so that tests can fail or kill any step of it.
//
// Every call answers as the kernel does: a value >= 0, or -errno. EINTR has been retried.
// Thread promise: all calls from any thread. The object outlives every store that uses it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rowsmith::cache {

struct file_info {
  enum class kind { regular, directory, symlink, other } type = kind::other;
  std::uint32_t mode = 0;  // permission bits, sticky included
  std::uint32_t owner = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since the epoch
};

class file_ops {
 public:
  virtual ~file_ops() = default;

  virtual int open(const std::string& path, int flags, std::uint32_t mode) = 0;  // O_CLOEXEC is added
  virtual ssize_t read(int fd, void* to, std::size_t bytes) = 0;
  virtual ssize_t write(int fd, const void* from, std::size_t bytes) = 0;
  virtual int fsync(int fd) = 0;
  virtual int close(int fd) = 0;
  virtual int fstat(int fd, file_info& info) = 0;

  virtual int stat(const std::string& path, file_info& info) = 0;   // follows symlinks
  virtual int lstat(const std::string& path, file_info& info) = 0;  // does not
  virtual int rename(const std::string& from, const std::string& to) = 0;
  virtual int unlink(const std::string& path) = 0;
  virtual int rmdir(const std::string& path) = 0;
  virtual int mkdir(const std::string& path, std::uint32_t mode) = 0;
  // Could something be made in `folder`? Tells by its rights and by what file system it is, and touches nothing.
  virtual int may_create_in(const std::string& folder) = 0;
  virtual int list(const std::string& path, std::vector<std::string>& names) = 0;  // without "." and ".."
  virtual int touch(const std::string& path) = 0;                                  // times to now, no symlink followed

  virtual std::uint32_t user() = 0;       // effective user
  virtual std::int64_t now() = 0;         // nanoseconds since the epoch
  virtual std::string unique_name() = 0;  // host, process, thread and random bits, fit for a file name
};

// The operating system's own. Never destroyed.
file_ops& posix_file_ops();

}  // namespace rowsmith::cache
