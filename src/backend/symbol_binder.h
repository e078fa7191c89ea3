// symbol_binder: binds a vendor's entry points by name and remembers those that are missing.
#pragma once

#include <string>

#include "base/shared_object.h"

namespace rowsmith {

class symbol_binder {
 public:
  explicit symbol_binder(const shared_object& library) noexcept : library_(library) {}

  // An entry point without which the library is of no use.
  template <class F>
  symbol_binder& need(F*& function, const char* name) {
    if (!library_.bind(function, name)) missing_ += (missing_.empty() ? "" : ", ") + std::string(name);
    return *this;
  }

  // One that newer or older versions lack; left null then.
  template <class F>
  symbol_binder& want(F*& function, const char* name) {
    library_.bind(function, name);
    return *this;
  }

  // Comma-separated; empty when all needed ones are there.
  const std::string& missing() const noexcept { return missing_; }

 private:
  const shared_object& library_;
  std::string missing_;
};

}  // namespace rowsmith
