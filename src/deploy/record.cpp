#include "deploy/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "base/log.h"
#include "deploy/manifest.h"

namespace rowsmith {

namespace {

struct before {
  bool operator()(const shape_class& a, const shape_class& b) const noexcept {
    return std::memcmp(&a, &b, sizeof a) < 0;
  }
};

shape_class on_any_device(shape_class c) {
  c.device_index = 0;
  return c;
}

class recorder {
 public:
  explicit recorder(std::string path) : path_(std::move(path)) {}

  void add(const request& r, const facts& f) {
    const std::lock_guard lock(mutex_);
    if (fd_ == closed) open();
    if (fd_ < 0 || !known_.insert(on_any_device(f.fixed)).second) return;
    std::string line = to_line(r);
    if (torn_) line.insert(line.begin(), '\n');
    torn_ = false;
    const ssize_t n = ::write(fd_, line.data(), line.size());  // one write a line: appended whole
    if (n == static_cast<ssize_t>(line.size())) return;
    fail("cannot be written", n < 0 ? errno : ENOSPC);
    ::close(fd_);
    fd_ = refused;
  }

 private:
  static constexpr int closed = -1, refused = -2;

  // What earlier processes wrote need not be written again.
  void open() {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (fd_ < 0) {
      fail("cannot be opened", errno);
      fd_ = refused;
      return;
    }
    const result<manifest> earlier = read_manifest(path_);
    if (!earlier) return;
    for (const manifest::entry& e : earlier->entries) known_.insert(on_any_device(e.fixed));
    torn_ = !ends_with_newline();
  }

  // False after a process that died, or a disk that filled up, in the middle of a line.
  bool ends_with_newline() const {
    const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return true;
    const off_t size = ::lseek(fd, 0, SEEK_END);
    char last = '\n';
    if (size > 0 && ::pread(fd, &last, 1, size - 1) != 1) last = '\n';
    ::close(fd);
    return last == '\n';
  }

  void fail(const char* what, int error) {
    if (log_enabled(log_level::warn)) {
      log(log_level::warn,
          fmt::format("ROWSMITH_RECORD: {} {}: {}; nothing is recorded", path_, what, std::strerror(error)));
    }
  }

  const std::string path_;
  std::mutex mutex_;
  int fd_ = closed;
  bool torn_ = false;
  std::set<shape_class, before> known_;
};

std::atomic<recorder*> g_recorder{nullptr};

void start_child_empty() { g_recorder.store(nullptr, std::memory_order_relaxed); }

// One a process, never destroyed; of two threads that come first together one makes it.
recorder& the_recorder(const std::string& file) {
  recorder* r = g_recorder.load(std::memory_order_acquire);
  if (r != nullptr) return *r;
  static const int registered = pthread_atfork(nullptr, nullptr, &start_child_empty);
  (void)registered;
  auto* mine = new recorder(file);
  if (g_recorder.compare_exchange_strong(r, mine, std::memory_order_acq_rel)) return *mine;
  delete mine;
  return *r;
}

}  // namespace

void record(const std::string& file, const request& r, const facts& f) noexcept try {
  if (!file.empty()) the_recorder(file).add(r, f);
} catch (const std::exception& e) {
  log(log_level::warn, e.what());
}

}  // namespace rowsmith
