#include "call/call_memo.h"

namespace rowsmith {

[[gnu::hot]] const call_memo::entry* call_memo::find_entry(const call_form& form) const noexcept {
  const auto asked = form.words();
  return all_.find(form.hash(), [&](const entry& e) {
    if (e.words.size() != asked.size()) return false;
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) differs |= e.words[i] ^ asked[i];
    return differs == 0;
  });
}

[[gnu::hot]] const known_launch* call_memo::find(const call_form& form) const noexcept {
  const entry* e = find_entry(form);
  return e == nullptr ? nullptr : e->launch.load(std::memory_order_acquire);
}

void call_memo::remember(const call_form& form, std::unique_ptr<const known_launch> launch) {
  const std::lock_guard lock(writers_);
  if (launches_.size() >= most_forms) return;
  launches_.push_back(std::move(launch));
  count_.store(launches_.size(), std::memory_order_relaxed);
  if (const entry* e = find_entry(form); e != nullptr) {
    const_cast<entry*>(e)->launch.store(launches_.back().get(), std::memory_order_release);
    return;
  }
  auto added = std::make_unique<entry>();
  added->hash = form.hash();
  added->words.assign(form.words().begin(), form.words().end());
  added->launch.store(launches_.back().get(), std::memory_order_relaxed);
  (void)all_.add(std::move(added));
}

void call_memo::clear() {
  const std::lock_guard lock(writers_);
  all_.clear();
  launches_.clear();
  count_.store(0, std::memory_order_relaxed);
}

}  // namespace rowsmith
