// module: a shared object loaded from bytes.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "rowsmith/status.h"

namespace rowsmith::host {

class module {
 public:
  // From an anonymous memory file; from a private temporary file where the system refuses those. REQUIRES: `code`
  // passed check_shared_object: the loader trusts what it maps.
  static result<module> load(std::span<const std::byte> code);

  module(module&& other) noexcept :handle_(std::exchange(other.handle_, nullptr)) {}
  module& operator=(module&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~module();  // unloads: no kernel of it may be running

  // null when it is not there.
  void* symbol(const char* name) const noexcept;

 private:
  explicit module(void* handle) noexcept : handle_(handle) {}
  void* handle_ = nullptr;
};

}  // namespace rowsmith::host
