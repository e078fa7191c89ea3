#include <pthread.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "backend/backend.h"

namespace rowsmith {
namespace {

using all_backends = std::array<std::unique_ptr<backend>, 4>;

// Built together, since building touches no vendor library; never destroyed, since vendor runtimes may be gone by then.
std::atomic<all_backends*> g_all{nullptr};

std::mutex& build_mutex() {
  static std::mutex m;
  return m;
}

// Another thread of the parent may have been inside a backend, its locks held: the child gets backends of its own.
void before_fork() { build_mutex().lock(); }
void after_fork_in_parent() { build_mutex().unlock(); }
void after_fork_in_child() {
  g_all.store(nullptr, std::memory_order_relaxed);
  build_mutex().unlock();
}

all_backends& backends() {
  if (all_backends* all = g_all.load(std::memory_order_acquire); all != nullptr) return *all;
  const std::lock_guard lock(build_mutex());
  all_backends* all = g_all.load(std::memory_order_acquire);
  if (all == nullptr) {
    static const int registered = ::pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
    (void)registered;
    all = new all_backends{make_host_backend(), make_cuda_backend(), make_hip_backend(), make_null_backend()};
    g_all.store(all, std::memory_order_release);
  }
  return *all;
}

}  // namespace

backend* backend_for(device_kind kind) noexcept {
  for (const std::unique_ptr<backend>& b : backends()) {
    if (b->kind() == kind) return b.get();
  }
  return nullptr;
}

}  // namespace rowsmith
