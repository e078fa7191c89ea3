#include "call/runtime_state.h"

#include <pthread.h>

#include "base/log.h"

namespace rowsmith {

namespace {

std::atomic<runtime_state*> g_runtime{nullptr};
std::mutex& build_mutex() {
  static std::mutex m;  // trivially destructible on this platform: nothing runs at exit
  return m;
}

void start_child_empty() { g_runtime.store(nullptr, std::memory_order_relaxed); }

}  // namespace

runtime_state::runtime_state() : env(the_environment()), cold(env) {
  set_log(nullptr, nullptr, env.log);
  for (const std::string& complaint : env.complaints) log(log_level::warn, complaint);
}

runtime_state& the_runtime() {
  runtime_state* r = g_runtime.load(std::memory_order_acquire);
  if (r != nullptr) [[likely]]
    return *r;
  std::lock_guard lock(build_mutex());
  r = g_runtime.load(std::memory_order_acquire);
  if (r == nullptr) {
    static const int registered = pthread_atfork(nullptr, nullptr, &start_child_empty);
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
