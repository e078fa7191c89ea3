// node_lock: of many processes of one machine that are about to build the same thing, one builds and the others wait
// for it. Advice, never correctness: it only saves work. Whoever cannot have it, or has waited long enough, goes on
// without.
//
// flock on a file in a private folder of this machine and this user, never on the cache's own file system, where locks
// may hang. The kernel owns the lock: a holder that is killed frees it. The file holds the holder's process id, for the
// log. There are 256 files, so two different keys may, rarely, wait for each other.
//
// Thread promise: acquire() from any thread; an object belongs to one thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rowsmith::cache {

struct node_lock_options {
  std::vector<std::string> folders;  // parents of the private folder, the first usable one; empty: the usual ones
  std::string not_beside;            // a path: a folder on its file system is passed over; may be empty
  std::chrono::milliseconds most_wait{10'000};  // 0: only where nobody has it
};

class node_lock {
 public:
  // Waits until the lock of `name` is ours, `done` says that there is nothing left to build, or the time is up.
  static node_lock acquire(const node_lock_options& options, std::string_view name, const std::function<bool()>& done);

  node_lock(node_lock&& other) noexcept;
  node_lock& operator=(node_lock&&) = delete;
  ~node_lock();  // free for the next one, also where a forked child still has the descriptor

  bool held() const noexcept { return fd_ >= 0; }
  bool waited() const noexcept { return waited_; }  // somebody else had it

 private:
  node_lock() = default;
  int fd_ = -1;
  bool waited_ = false;
};

}  // namespace rowsmith::cache
