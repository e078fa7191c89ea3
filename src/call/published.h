// published: a hash table of entries that are only ever added. Readers never lock and never wait; writers take turns,
// which is theirs to see to.
//
// Open addressing. A table that is half full is replaced by one of twice the size; the old one stays alive for readers
// that are still in it, until clear().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rowsmith {

// Entry: has a member `std::uint64_t hash`.
template <class Entry>
class published {
 public:
  published() { start(); }
  published(const published&) = delete;
  published& operator=(const published&) = delete;

  // The entry of this hash that `same` says is meant; null: there is none.
  template <class Same>
  const Entry* find(std::uint64_t hash, Same&& same) const noexcept {
    const slots& s = *current_.load(std::memory_order_acquire);
    for (std::size_t i = hash & s.mask;; i = (i + 1) & s.mask) {
      const Entry* e = s.entries[i].load(std::memory_order_acquire);
      if (e == nullptr || (e->hash == hash && same(*e))) return e;
    }
  }

  // REQUIRES: no other writer.
  const Entry* add(std::unique_ptr<Entry> e) {
    entries_.push_back(std::move(e));
    if (entries_.size() * 2 < all_.back()->mask) {
      all_.back()->put(entries_.back().get());
      return entries_.back().get();
    }
    auto larger = std::make_unique<slots>((all_.back()->mask + 1) * 2);
    for (const auto& each : entries_) larger->put(each.get());
    all_.push_back(std::move(larger));
    current_.store(all_.back().get(), std::memory_order_release);
    return entries_.back().get();
  }

  // REQUIRES: no reader and no other writer.
  void clear() {
    all_.clear();
    entries_.clear();
    start();
  }

 private:
  static constexpr std::size_t first_capacity = 64;

  struct slots {
    explicit slots(std::size_t capacity) : mask(capacity - 1), entries(new std::atomic<const Entry*>[capacity]()) {}
    void put(const Entry* e) noexcept {
      std::size_t i = e->hash & mask;
      while (entries[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & mask;
      entries[i].store(e, std::memory_order_release);
    }
    std::size_t mask;
    std::unique_ptr<std::atomic<const Entry*>[]> entries;
  };

  void start() {
    all_.push_back(std::make_unique<slots>(first_capacity));
    current_.store(all_.back().get(), std::memory_order_release);
  }

  std::atomic<const slots*> current_;
  std::vector<std::unique_ptr<slots>> all_;  // the last one is current_
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace rowsmith
