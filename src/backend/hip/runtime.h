// runtime: the HIP runtime of AMD or Hygon, found by name at the first call.
#pragma once

#include <string>

#include "backend/backend.h"
#include "backend/hip/declarations.h"
#include "base/shared_object.h"

namespace rowsmith::hip {

class runtime {
 public:
  // Loaded at the first call, never unloaded, and not started before a device is asked for. Never fails: ask usable().
  static runtime& get();

  const status& usable() const noexcept { return usable_; }
  const library_probe& probe() const noexcept { return probe_; }
  const runtime_functions& call() const noexcept { return functions_; }
  const shared_object& library() const noexcept { return library_; }
  bool is_dtk() const noexcept { return dtk_; }

  // 0 where there is no device; asked of the runtime once.
  int device_count() noexcept;
  status has_device(int index);

  // "gfx906:sramecc+:xnack-"
  result<std::string> arch_of(int index);

  // A refusal as a status: code and text of the runtime. `doing`: "load the kernel".
  status failure(runtime_result error, const std::string& doing) const;

 private:
  runtime();
  std::string bind();

  status usable_;
  library_probe probe_;
  shared_object library_;
  runtime_functions functions_{};
  bool dtk_ = false;
};

// Makes a device the thread's current one for a scope; costs one query where it already is.
class current_device {
 public:
  current_device(const runtime_functions& call, int wanted) noexcept : call_(call) {
    error_ = call.current_device(&before_);
    if (error_ != success || before_ == wanted) return;
    error_ = call.set_device(wanted);
    switched_ = error_ == success;
  }
  ~current_device() {
    if (switched_) call_.set_device(before_);
  }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

  runtime_result error() const noexcept { return error_; }

 private:
  const runtime_functions& call_;
  runtime_result error_ = success;
  int before_ = 0;
  bool switched_ = false;
};

}  // namespace rowsmith::hip
