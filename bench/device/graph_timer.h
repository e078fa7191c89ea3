// graph_timer: device time of enqueued work, without the cost of enqueueing it: the calls are captured into a CUDA
// graph that is replayed between two events.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::bench {

// What is timed: the i-th call of it.
using enqueued = std::function<status(int i, stream on)>;

class graph_timer {
 public:
  // The CUDA driver, device 0. not_found without one.
  static result<graph_timer> open();

  // Median microseconds of one call of each, over `rounds` rounds in which a graph of `calls` calls of every one is
  // replayed in turn, so that a slow moment of the card hits them all.
  result<std::vector<double>> median_us(int calls, int rounds, std::span<const enqueued> all) const;
  result<double> median_us(int calls, int rounds, const enqueued& one) const;

  // Enqueues a device-to-device copy by the runtime's own means.
  status copy(void* to, const void* from, std::size_t bytes, stream on) const;

  stream work() const noexcept { return {stream_}; }

 private:
  void *stream_ = nullptr, *begin_ = nullptr, *end_ = nullptr;
};

}  // namespace rowsmith::bench
