// graph_timer: device time of enqueued work, without the cost of enqueueing it: the calls are captured into a CUDA graph
// that is replayed between two events.
#pragma once

#include <functional>

#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::bench {

class graph_timer {
 public:
  // The CUDA driver, device 0. not_found without one.
  static result<graph_timer> open();

  // Median microseconds of one call over `replays` replays of a graph of `calls` calls; call i gets i.
  result<double> median_us(int calls, int replays, const std::function<status(int, stream)>& enqueue) const;

  // Enqueues a device-to-device copy by the runtime's own means.
  status copy(void* to, const void* from, std::size_t bytes, stream on) const;

  stream work() const noexcept { return {stream_}; }

 private:
  void* stream_ = nullptr;
};

}  // namespace rowsmith::bench
