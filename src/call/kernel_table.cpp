#include "call/kernel_table.h"

#include <cstring>

#include "call/word_hash.h"

namespace rowsmith {

namespace {

// Of the words that say something; the whole class is compared afterwards.
std::uint64_t hash(const shape_class& c) noexcept {
  static_assert(sizeof(shape_class) % 16 == 0, "pairs of words");
  std::uint64_t w[sizeof(shape_class) / 8];
  std::memcpy(w, &c, sizeof c);
  return hash_words(w, (c.used_bytes() + 15) / 16 * 2);
}

}  // namespace

const kernel_table::entry* kernel_table::find(const shape_class& c) const noexcept {
  return all_.find(hash(c), [&](const entry& e) { return e.fixed == c; });
}

const kernel_table::entry* kernel_table::put(const shape_class& c, std::shared_ptr<const executable> e,
                                             bool provisional) {
  const std::lock_guard lock(writers_);
  executables_.push_back(std::move(e));
  return place(c, *executables_.back(), provisional);
}

const kernel_table::entry* kernel_table::lend(const shape_class& c, const executable& owned) {
  const std::lock_guard lock(writers_);
  return place(c, owned, true);
}

// REQUIRES: writers_ is held.
const kernel_table::entry* kernel_table::place(const shape_class& c, const executable& e, bool provisional) {
  if (const entry* known = find(c); known != nullptr) {
    auto* ours = const_cast<entry*>(known);
    if (provisional && !ours->provisional.load(std::memory_order_relaxed)) return known;
    ours->current.store(&e, std::memory_order_release);
    ours->provisional.store(provisional, std::memory_order_release);
    return known;
  }
  auto added = std::make_unique<entry>();
  added->hash = hash(c);
  added->fixed = c;
  added->current.store(&e, std::memory_order_relaxed);
  added->provisional.store(provisional, std::memory_order_relaxed);
  return all_.add(std::move(added));
}

void kernel_table::clear() {
  const std::lock_guard lock(writers_);
  all_.clear();
  executables_.clear();
}

}  // namespace rowsmith
