#include "cli/stopwatch.h"

#include <algorithm>
#include <vector>

namespace rowsmith::cli {

namespace {

constexpr double k_batch_seconds = 0.02;
constexpr int k_most_calls = 1000;  // what fits a device's queue without blocking the caller

double median(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

result<warm_times> time_warm(const std::function<status()>& call, const std::function<status()>& wait, int batches) {
  warm_times t;
  t.batches = batches;
  std::vector<double> returned, done;

  // One batch of n calls, in seconds a call.
  const auto batch = [&](int n) -> status {
    const stopwatch watch;
    for (int i = 0; i < n; ++i) {
      if (status s = call(); !s) return s;
    }
    returned.push_back(watch.seconds() / n);
    if (status s = wait(); !s) return s;
    done.push_back(watch.seconds() / n);
    return {};
  };

  // Warms up, and finds how many calls fill a batch: twice as many until one is long enough.
  int n = 1;
  while (true) {
    if (status s = batch(n); !s) return s;
    if (done.back() * n >= k_batch_seconds || n == k_most_calls) break;
    n = std::min(n * 2, k_most_calls);
  }
  t.calls_per_batch = n;
  returned.clear();
  done.clear();
  for (int i = 0; i < batches; ++i) {
    if (status s = batch(n); !s) return s;
  }
  t.call_seconds = median(returned);
  t.done_seconds = median(done);
  return t;
}

}  // namespace rowsmith::cli
