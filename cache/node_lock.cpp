#include "cache/node_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/log.h"
#include "cache/hash.h"

namespace rowsmith::cache {
namespace {

using namespace std::chrono_literals;

std::optional<dev_t> file_system_of(std::string path) {
  struct stat s;
  while (!path.empty()) {
    if (::stat(path.c_str(), &s) == 0) return s.st_dev;
    const std::size_t slash = path.rfind('/');
    path.resize(slash == 0 && path.size() > 1 ? 1 : slash == std::string::npos ? 0 : slash);
  }
  return std::nullopt;
}

// A folder that only this user can write, or an empty text.
std::string private_folder(const node_lock_options& options) {
  const uid_t user = ::geteuid();
  const std::vector<std::string> usual = {fmt::format("/run/user/{}", user), "/dev/shm", "/tmp"};
  const std::optional<dev_t> not_on = options.not_beside.empty() ? std::nullopt : file_system_of(options.not_beside);
  for (const std::string& parent : options.folders.empty() ? usual : options.folders) {
    struct stat s;
    if (::stat(parent.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || (not_on && s.st_dev == *not_on)) continue;
    const std::string folder = fmt::format("{}/rowsmith-locks-{}", parent, user);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) continue;
    if (::lstat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != user || (s.st_mode & 077) != 0) continue;
    return folder;
  }
  return {};
}

// Who holds it, as it said itself; 0 when it has not said yet.
int owner_of(int fd) {
  char text[16] = {};
  int pid = 0;
  if (const ssize_t n = ::pread(fd, text, sizeof text - 1, 0); n > 0) std::from_chars(text, text + n, pid);
  return pid;
}

void sign(int fd) {
  const std::string text = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, text.data(), text.size(), 0) < 0) return;  // only the log would read it
}

}  // namespace

node_lock node_lock::acquire(const node_lock_options& options, std::string_view name,
                             const std::function<bool()>& done) {
  node_lock lock;
  const std::string folder = private_folder(options);
  if (folder.empty()) return lock;
  const std::string path = folder + "/" + hex(digest(name)).substr(0, 2);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return lock;

  const auto start = std::chrono::steady_clock::now();
  bool said = false;
  for (std::chrono::milliseconds pause = 1ms;; pause = std::min(pause * 2, 20ms)) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
      sign(fd);
      lock.fd_ = fd;
      return lock;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) break;  // no locks here
    lock.waited_ = true;
    if (done()) break;
    const auto waited = std::chrono::steady_clock::now() - start;
    if (!said && waited > 1s) {
      said = true;
      log(log_level::info,
          fmt::format("waiting for process {}, which builds the same kernel ({})", owner_of(fd), path));
    }
    if (waited >= options.most_wait) {
      if (options.most_wait == 0ms) break;
      log(log_level::warn, fmt::format("process {} has held {} for {} ms: the kernel is built here as well",
                                       owner_of(fd), path, options.most_wait.count()));
      break;
    }
    std::this_thread::sleep_for(pause);
  }
  ::close(fd);
  return lock;
}

node_lock::node_lock(node_lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)), waited_(other.waited_) {}

node_lock::~node_lock() {
  if (fd_ < 0) return;
  // Not by close() alone: a child that was forked meanwhile shares the open file.
  (void)::flock(fd_, LOCK_UN);
  ::close(fd_);
}

}  // namespace rowsmith::cache
