// driver: NVIDIA's driver API, found by name at the first call, and the primary context of every device.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "backend/backend.h"
#include "backend/cuda/declarations.h"
#include "base/shared_object.h"

namespace rowsmith::cuda {

class driver {
 public:
  // Loaded and initialized at the first call; never unloaded. Never fails: ask usable().
  static driver& get();

  const status& usable() const noexcept { return usable_; }
  const library_probe& probe() const noexcept { return probe_; }
  const driver_functions& call() const noexcept { return functions_; }
  int device_count() const noexcept { return count_; }

  // The primary context of a device, retained at its first use and kept until the process ends. `again` retains anew,
  // after a reset has destroyed the one that was handed out before.
  result<context_handle> primary(int index, bool again = false);
  result<device_handle> device(int index) const;

  // A refusal as a status: code and text of the driver. `doing`: "load the kernel".
  status failure(driver_result error, const std::string& doing) const;

 private:
  driver();
  std::string bind();

  struct device_state {
    std::mutex mutex;
    context_handle primary = nullptr;
  };

  status usable_;
  library_probe probe_;
  shared_object library_;
  driver_functions functions_{};
  int count_ = 0;
  std::unique_ptr<device_state[]> devices_;
};

// Makes a context current for a scope; costs one query where it already is.
class current_context {
 public:
  current_context(const driver_functions& call, context_handle wanted) noexcept : call_(call) {
    context_handle now = nullptr;
    error_ = call.context_current(&now);
    if (error_ != success || now == wanted) return;
    error_ = call.context_push(wanted);
    pushed_ = error_ == success;
  }
  ~current_context() {
    context_handle popped = nullptr;
    if (pushed_) call_.context_pop(&popped);
  }
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;

  driver_result error() const noexcept { return error_; }

 private:
  const driver_functions& call_;
  driver_result error_ = success;
  bool pushed_ = false;
};

}  // namespace rowsmith::cuda
