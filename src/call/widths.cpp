#include "call/widths.h"

#include <fmt/format.h>

#include "model/any_width.h"

namespace rowsmith {

// REQUIRES of all that is private: mutex_ is held.
bool width_book::takes_exact(const shape_class& c) const {
  if (automatic_ != width_mode::automatic) return automatic_ == width_mode::exact;
  if (by_any_.contains(c)) return false;
  const auto family = exact_.find(width_family(c));
  if (family == exact_.end()) return exact_count_ < most_exact;
  return family->second.contains(c.width) || (family->second.size() < exact_at_once && exact_count_ < most_exact);
}

void width_book::note_exact(const shape_class& c) {
  if (exact_[width_family(c)].insert(c.width).second) ++exact_count_;
}

width_mode width_book::ask(const shape_class& c, bool* first) {
  const std::lock_guard lock(mutex_);
  if (takes_exact(c)) {
    const std::size_t before = exact_count_;
    if (automatic_ == width_mode::automatic) note_exact(c);
    *first = exact_count_ != before;
    return width_mode::exact;
  }
  *first = by_any_.try_emplace(c, 0).second;
  any_count_ += *first;
  return width_mode::any;
}

void width_book::settle(const shape_class& c, width_mode m) {
  const std::lock_guard lock(mutex_);
  if (m == width_mode::any) {
    any_count_ += by_any_.try_emplace(c, 0).second;
  } else if (by_any_.erase(c) != 0) {
    --any_count_;
  }
}

bool width_book::is_by_any(const shape_class& c) const {
  const std::lock_guard lock(mutex_);
  return automatic_ == width_mode::any || by_any_.contains(c);
}

bool width_book::count(const shape_class& c) {
  const std::lock_guard lock(mutex_);
  if (automatic_ != width_mode::automatic) return false;
  const auto known = by_any_.find(c);
  if (known == by_any_.end() || ++known->second != calls_for_exact || exact_count_ >= most_exact) return false;
  ++exact_count_;
  return true;
}

void width_book::promoted(const shape_class& c) {
  const std::lock_guard lock(mutex_);
  promotions_ += by_any_.erase(c);
}

width_mode width_book::tell(const shape_class& c, std::string* why) const {
  const std::lock_guard lock(mutex_);
  const bool exact = takes_exact(c);
  if (automatic_ != width_mode::automatic) {
    *why = fmt::format("width {}, as ROWSMITH_WIDTH says", exact ? "exact" : "any");
  } else if (exact) {
    *why = fmt::format("width exact: one of the first {} of otherwise equal calls of this process", exact_at_once);
  } else if (exact_count_ >= most_exact) {
    *why = fmt::format("width any: {} kernels of one width are as many as a process gets", most_exact);
  } else {
    const auto known = by_any_.find(c);
    *why = fmt::format(
        "width any: {} other widths of otherwise equal calls have kernels of their own; this one gets "
        "its own after {} calls, {} so far",
        exact_at_once, calls_for_exact, known == by_any_.end() ? 0 : known->second);
  }
  return exact ? width_mode::exact : width_mode::any;
}

std::uint64_t width_book::by_any() const {
  const std::lock_guard lock(mutex_);
  return any_count_;
}

std::uint64_t width_book::promotions() const {
  const std::lock_guard lock(mutex_);
  return promotions_;
}

void width_book::forget() {
  const std::lock_guard lock(mutex_);
  exact_.clear();
  by_any_.clear();
  exact_count_ = 0;
}

}  // namespace rowsmith
