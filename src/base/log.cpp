#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <mutex>

#include "base/no_destructor.h"

namespace rowsmith {

namespace {

spdlog::level::level_enum to_spdlog(log_level level) {
  switch (level) {
    case log_level::debug:
      return spdlog::level::debug;
    case log_level::info:
      return spdlog::level::info;
    case log_level::warn:
      return spdlog::level::warn;
    case log_level::error:
      return spdlog::level::err;
    case log_level::off:
      break;
  }
  return spdlog::level::off;
}

// The default: one line on stderr, with time and level. A logger of our own, not in spdlog's global registry, so that a
// program that uses spdlog itself does not find us there.
void to_stderr(log_level level, std::string_view line, void*) {
  static no_destructor<spdlog::logger> logger("rowsmith", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  static const bool ready = [] {
    logger->set_level(spdlog::level::trace);
    logger->set_pattern("%H:%M:%S.%e rowsmith %l: %v");
    return true;
  }();
  (void)ready;
  logger->log(to_spdlog(level), "{}", line);
}

struct sink {
  std::mutex mutex;
  log_callback callback = &to_stderr;
  void* user = nullptr;
};

sink& the_sink() {
  static no_destructor<sink> s;
  return *s;
}

std::atomic<int> g_level{static_cast<int>(log_level::off)};

}  // namespace

void set_log(log_callback callback, void* user, log_level level) noexcept {
  sink& s = the_sink();
  std::lock_guard lock(s.mutex);
  s.callback = callback != nullptr ? callback : &to_stderr;
  s.user = user;
  g_level.store(static_cast<int>(level), std::memory_order_relaxed);
}

bool log_enabled(log_level level) noexcept {
  return level != log_level::off && static_cast<int>(level) >= g_level.load(std::memory_order_relaxed);
}

void log(log_level level, std::string_view line) noexcept try {
  if (!log_enabled(level)) return;
  sink& s = the_sink();
  std::unique_lock lock(s.mutex);
  const auto callback = s.callback;
  void* const user = s.user;
  lock.unlock();  // the callback may log, or take its time
  callback(level, line, user);
} catch (...) {  // a line that cannot be written is lost, and nothing else
}

}  // namespace rowsmith
