#include "call/kernel_table.h"

#include <cstring>

namespace rowsmith {

namespace {

constexpr std::size_t first_capacity = 64;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// A multiply per two words of those that say something; the whole class is compared afterwards. Constants: odd, dense.
std::uint64_t hash(const shape_class& c) noexcept {
  constexpr std::uint64_t salt[] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
                                    0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3};
  constexpr std::size_t words = sizeof(shape_class) / 8;
  static_assert(sizeof(shape_class) % 16 == 0, "pairs of words");
  std::uint64_t w[words];
  std::memcpy(w, &c, sizeof c);
  const std::size_t used = (c.used_bytes() + 15) / 16 * 2;
  std::uint64_t h = 0;
  for (std::size_t i = 0; i < used; i += 2) h ^= mix(w[i] ^ salt[i % 8] ^ i, w[i + 1] ^ salt[i % 8 + 1]);
  return h ^ h >> 32;
}

}  // namespace

struct kernel_table::slots {
  explicit slots(std::size_t capacity) : mask(capacity - 1), entries(new std::atomic<entry*>[capacity]()) {}
  std::size_t mask;
  std::size_t used = 0;
  std::unique_ptr<std::atomic<entry*>[]> entries;
};

kernel_table::kernel_table() {
  all_.push_back(std::make_unique<slots>(first_capacity));
  current_.store(all_.back().get(), std::memory_order_release);
}

kernel_table::~kernel_table() = default;

const kernel_table::entry* kernel_table::find(const shape_class& c) const noexcept {
  const slots& s = *current_.load(std::memory_order_acquire);
  for (std::size_t i = hash(c) & s.mask;; i = (i + 1) & s.mask) {
    const entry* e = s.entries[i].load(std::memory_order_acquire);
    if (e == nullptr || e->fixed == c) return e;
  }
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
  slots* s = all_.back().get();
  const auto insert = [](slots& in, entry* what) {
    std::size_t i = hash(what->fixed) & in.mask;
    while (in.entries[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & in.mask;
    in.entries[i].store(what, std::memory_order_release);
    ++in.used;
  };
  if (const entry* known = find(c); known != nullptr) {
    auto* ours = const_cast<entry*>(known);
    if (provisional && !ours->provisional.load(std::memory_order_relaxed)) return known;
    ours->current.store(&e, std::memory_order_release);
    ours->provisional.store(provisional, std::memory_order_release);
    return known;
  }
  if (s->used * 2 >= s->mask) {
    auto larger = std::make_unique<slots>((s->mask + 1) * 2);
    for (const auto& old : entries_) insert(*larger, old.get());
    s = larger.get();
    all_.push_back(std::move(larger));
    current_.store(s, std::memory_order_release);
  }
  auto added = std::make_unique<entry>();
  added->fixed = c;
  added->current.store(&e, std::memory_order_relaxed);
  added->provisional.store(provisional, std::memory_order_relaxed);
  entries_.push_back(std::move(added));  // which may throw: before readers can see it
  insert(*s, entries_.back().get());
  return entries_.back().get();
}

void kernel_table::clear() {
  std::lock_guard lock(writers_);
  auto fresh = std::make_unique<slots>(first_capacity);
  current_.store(fresh.get(), std::memory_order_release);
  all_.clear();
  entries_.clear();
  executables_.clear();
  all_.push_back(std::move(fresh));
}

}  // namespace rowsmith
