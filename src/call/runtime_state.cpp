#include "call/runtime_state.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <cstdlib>
#include <mutex>

#include "base/log.h"

namespace rowsmith {

namespace {

std::atomic<runtime_state*> g_runtime{nullptr};

std::mutex& build_mutex() {
  static std::mutex m;  // trivially destructible on this platform: nothing runs at exit
  return m;
}

// Around a fork the runtime is not half built. The child forgets the parent's: its threads do not exist there.
void before_fork() { build_mutex().lock(); }
void after_fork_in_parent() { build_mutex().unlock(); }
void after_fork_in_child() {
  g_runtime.store(nullptr, std::memory_order_relaxed);
  build_mutex().unlock();
}

// No background build enters a compiler whose own statics are being destroyed.
void at_exit() {
  if (runtime_state* r = g_runtime.load(std::memory_order_acquire); r != nullptr) r->cold.background().abandon();
}

// Threads, handlers and functions of loaded kernels lead into this library: once used, it stays until the process ends,
// whatever dlclose is told.
void stay_loaded() {
  Dl_info self;
  if (::dladdr(reinterpret_cast<const void*>(&stay_loaded), &self) == 0 || self.dli_fname == nullptr) return;
  (void)::dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

runtime_state::runtime_state()
    : env((set_log(nullptr, nullptr, the_environment().log), the_environment())),
      widths(env.width),
      cold(env, [this](const shape_class& c, std::shared_ptr<const executable> e) {
        // What answers any width at all is better than the fallback.
        if (e->from() == origin::fallback && widths.is_by_any(c)) return;
        table.put(c, std::move(e));
        widths.promoted(c);
      }) {
  // Said even where the log is off, as it is by default: a setting that is not followed must not go unseen.
  for (const std::string& complaint : env.complaints) {
    if (log_enabled(log_level::warn)) {
      log(log_level::warn, complaint);
    } else {
      fmt::print(stderr, "rowsmith: {}\n", complaint);
    }
  }
}

runtime_state& the_runtime() {
  runtime_state* r = g_runtime.load(std::memory_order_acquire);
  if (r != nullptr) [[likely]]
    return *r;
  std::lock_guard lock(build_mutex());
  r = g_runtime.load(std::memory_order_acquire);
  if (r == nullptr) {
    static const bool registered = [] {
      stay_loaded();
      return pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child) == 0 &&
             std::atexit(&at_exit) == 0;
    }();
    (void)registered;
    r = new runtime_state;
    g_runtime.store(r, std::memory_order_release);
  }
  return *r;
}

call_trace& this_threads_trace() noexcept {
  thread_local call_trace trace;
  return trace;
}

}  // namespace rowsmith
