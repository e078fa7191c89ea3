// parallel: a loop spread over the machine's threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace rowsmith::cli {

// Calls f(begin, end) on contiguous parts of [0, count), each part on a thread of its own. `grain`: what is not worth
// splitting. f must not throw.
template <class F>
void parallel(std::int64_t count, std::int64_t grain, F&& f) {
  const std::int64_t most = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t parts = std::clamp<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1, most);
  std::vector<std::thread> threads;
  const auto edge = [&](std::int64_t part) { return count / parts * part + std::min(part, count % parts); };
  for (std::int64_t p = 1; p < parts; ++p) threads.emplace_back([&f, b = edge(p), e = edge(p + 1)] { f(b, e); });
  f(edge(0), edge(1));
  for (std::thread& t : threads) t.join();
}

}  // namespace rowsmith::cli
