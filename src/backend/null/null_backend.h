// null_backend: a device that computes nothing. Everything up to it is real: plans, rendered text, keys, entries,
// launch geometry, memory. Tests use it to watch the corridor, and benchmarks to measure its overhead.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/backend.h"

namespace rowsmith::null {

// What was asked of every null backend of this process since reset().
struct counters {
  std::atomic<std::int64_t> compiles{0};
  std::atomic<std::int64_t> loads{0};
  std::atomic<std::int64_t> launches{0};
  std::atomic<std::int64_t> blocks{0};     // of the last launch
  std::atomic<std::int64_t> allocated{0};  // blocks of memory not released yet

  // Launches are counted only after reset(): benchmarks of many threads must not meet in one counter.
  std::atomic<bool> counting{false};

  void reset() noexcept {
    compiles = loads = launches = blocks = 0;
    counting = true;
  }
};

counters& the_counters() noexcept;

// The bytes that compile() gives for a source: a magic, the target, the entry and the text's size. check() reads them.
std::string marker(const source& s, const traits& target);

}  // namespace rowsmith::null
