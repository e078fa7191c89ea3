// stopwatch: how long calls take by the host's clock, the wait for their end included.
#pragma once

#include <chrono>
#include <functional>

#include "rowsmith/status.h"

namespace rowsmith::cli {

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

struct warm_times {
  double call_seconds = 0;  // to return to the caller, the work perhaps only enqueued
  double done_seconds = 0;  // to be done, back to back
  int batches = 0;
  int calls_per_batch = 0;
};

// Medians over `batches` batches of back-to-back calls, with a wait at the end of each. A batch takes some 20 ms, so
// that the wait does not show, but for calls that are longer.
result<warm_times> time_warm(const std::function<status()>& call, const std::function<status()>& wait, int batches);

}  // namespace rowsmith::cli
