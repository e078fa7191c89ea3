// status: how every fallible call of Rowsmith answers. result<T>: a status, or a value.
//
// A status is one pointer: null means OK, so success costs one word and no allocation. A failure carries a code, one
// sentence that names the argument, what was found and what is allowed, and, where a vendor library refused, that
// library's own code and text. Nothing here throws, except result<T>::value() on a failure.
//
// Thread promise: a status may be copied, moved and read from any thread; one object is not written from two.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "rowsmith/export.h"

namespace rowsmith {

// Stable values: the C ABI and the command's exit codes show them.
enum class code : std::int32_t {
  ok = 0,
  invalid_argument = 1,  // a view, option or combination the op does not take
  unsupported = 2,       // legal, but this build, device or op cannot do it
  not_found = 3,         // a device, library, file or cache entry that is not there
  compile_failed = 4,    // a compiler refused a kernel; the log is in detail()
  would_compile = 5,     // policy or graph capture forbids the compile that this call needs
  device_error = 6,      // the vendor's runtime refused; see vendor_code()
  io_error = 7,          // a file or socket operation failed
  corrupt = 8,           // bytes that fail their checks
  out_of_memory = 9,
  internal = 10,  // a fault of Rowsmith itself
};

// "invalid_argument", "compile_failed", …
ROWSMITH_EXPORT std::string_view name_of(code c) noexcept;

class [[nodiscard]] status {
 public:
  status() noexcept = default;  // OK
  ROWSMITH_EXPORT status(code c, std::string message);
  ROWSMITH_EXPORT status(code c, const char* message) noexcept;  // the code alone where there is no memory for both
  ROWSMITH_EXPORT status(code c, std::string message, std::int64_t vendor_code, std::string vendor_text);

  ROWSMITH_EXPORT status(const status& other) noexcept;
  status(status&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  status& operator=(status other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~status() {
    if (rep_ != nullptr) release();
  }

  bool ok() const noexcept { return rep_ == nullptr; }
  explicit operator bool() const noexcept { return ok(); }

  ROWSMITH_EXPORT code error() const noexcept;                  // code::ok when ok()
  ROWSMITH_EXPORT const std::string& message() const noexcept;  // one sentence; empty when ok()
  ROWSMITH_EXPORT const std::string& detail() const noexcept;   // a compiler's log, paths tried; may be long or empty
  ROWSMITH_EXPORT std::int64_t vendor_code() const noexcept;    // 0 when no vendor library was involved
  ROWSMITH_EXPORT const std::string& vendor_text() const noexcept;

  // A copy with `detail` attached. No effect on OK.
  ROWSMITH_EXPORT status with_detail(std::string detail) const;

  // "invalid_argument: x: rank is 9, at most 8 is allowed" with the vendor's code and text where there are any.
  ROWSMITH_EXPORT std::string to_string() const;

 private:
  struct rep;
  struct spare;
  ROWSMITH_EXPORT void release() noexcept;
  rep* rep_ = nullptr;
};

// Thrown by result<T>::value() on a failure: the one place where a failure becomes an exception.
class bad_result : public std::runtime_error {
 public:
  explicit bad_result(const rowsmith::status& s) : std::runtime_error(s.to_string()) {}
};

template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : value_(std::move(value)) {}
  result(rowsmith::status failure) : status_(std::move(failure)) {}

  bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const rowsmith::status& status() const& noexcept { return status_; }
  rowsmith::status status() && noexcept { return std::move(status_); }

  // The value. Throws bad_result when there is none.
  T& value() & {
    if (!value_) throw bad_result(status_);
    return *value_;
  }
  const T& value() const& { return const_cast<result*>(this)->value(); }
  T&& value() && { return std::move(value()); }

  // The value. REQUIRES: ok().
  T& operator*() noexcept { return *value_; }
  const T& operator*() const noexcept { return *value_; }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

 private:
  std::optional<T> value_;
  rowsmith::status status_;
};

}  // namespace rowsmith
