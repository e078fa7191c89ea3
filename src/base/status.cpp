#include "rowsmith/status.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "base/no_destructor.h"

namespace rowsmith {

struct status::rep {
  code error = code::internal;
  std::string message;
  std::string detail;
  std::int64_t vendor_code = 0;
  std::string vendor_text;
  std::atomic<int> owners{1};
};

namespace {

constexpr std::array<std::string_view, 11> k_names = {
    "ok",           "invalid_argument", "unsupported", "not_found",     "compile_failed", "would_compile",
    "device_error", "io_error",         "corrupt",     "out_of_memory", "internal"};

const std::string& empty() {
  static no_destructor<std::string> text;
  return *text;
}

}  // namespace

// Of each code a failure that needs no memory. Never released: the table owns them too.
struct status::spare {
  std::array<rep, k_names.size()> reps;
  spare() {
    for (std::size_t i = 0; i < reps.size(); ++i) {
      reps[i].error = static_cast<code>(i);
      reps[i].message = "no memory";  // short enough to lie in the string itself
    }
  }
};

std::string_view name_of(code c) noexcept {
  const auto i = static_cast<std::size_t>(c);
  return i < k_names.size() ? k_names[i] : "unknown";
}

status::status(code c, std::string message) : status(c, std::move(message), 0, {}) {}

status::status(code c, std::string message, std::int64_t vendor_code, std::string vendor_text) {
  if (c != code::ok) rep_ = new rep{c, std::move(message), {}, vendor_code, std::move(vendor_text)};
}

status::status(code c, const char* message) noexcept {
  if (c == code::ok) return;
  try {
    rep_ = new rep{c, message, {}, 0, {}};
  } catch (const std::bad_alloc&) {
    static no_destructor<spare> spares;
    rep_ = &spares->reps[std::min(static_cast<std::size_t>(c), k_names.size() - 1)];
    rep_->owners.fetch_add(1, std::memory_order_relaxed);
  }
}

status::status(const status& other) noexcept : rep_(other.rep_) {
  if (rep_ != nullptr) rep_->owners.fetch_add(1, std::memory_order_relaxed);
}

void status::release() noexcept {
  if (rep_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete rep_;
  rep_ = nullptr;
}

code status::error() const noexcept { return rep_ == nullptr ? code::ok : rep_->error; }
const std::string& status::message() const noexcept { return rep_ == nullptr ? empty() : rep_->message; }
const std::string& status::detail() const noexcept { return rep_ == nullptr ? empty() : rep_->detail; }
std::int64_t status::vendor_code() const noexcept { return rep_ == nullptr ? 0 : rep_->vendor_code; }
const std::string& status::vendor_text() const noexcept { return rep_ == nullptr ? empty() : rep_->vendor_text; }

status status::with_detail(std::string detail) const {
  if (ok()) return {};
  status copy(rep_->error, rep_->message, rep_->vendor_code, rep_->vendor_text);
  copy.rep_->detail = std::move(detail);
  return copy;
}

std::string status::to_string() const {
  if (ok()) return "ok";
  std::string text(name_of(rep_->error));
  text += ": " + rep_->message;
  if (rep_->vendor_code != 0 || !rep_->vendor_text.empty()) {
    text += " (" + std::to_string(rep_->vendor_code);
    if (!rep_->vendor_text.empty()) text += ": " + rep_->vendor_text;
    text += ")";
  }
  return text;
}

}  // namespace rowsmith
