#include "cache/memory_store.h"

#include <fmt/format.h>

namespace rowsmith::cache {
namespace {

std::uint64_t weight(const entry& e) { return e.metadata.size() + e.payload.size(); }

}  // namespace

memory_store::slot::iterator memory_store::find(const key& k, accept a) {
  const auto [first, last] = by_what_.equal_range(k.what_digest());
  slot::iterator found = used_.end();
  for (auto it = first; it != last; ++it) {
    const entry& e = **it->second;
    if (!e.key.same_what(k)) continue;
    if (e.key.same_who(k)) return it->second;
    if (a == accept::any) found = it->second;
  }
  return found;
}

void memory_store::drop(slot::iterator it) {
  const auto [first, last] = by_what_.equal_range((*it)->key.what_digest());
  for (auto i = first; i != last; ++i) {
    if (i->second != it) continue;
    by_what_.erase(i);
    break;
  }
  bytes_ -= weight(**it);
  used_.erase(it);
}

result<entry> memory_store::get(const key& k, accept a) {
  std::shared_ptr<const entry> found;
  {
    const std::lock_guard lock(mutex_);
    const auto it = find(k, a);
    if (it == used_.end()) {
      ++counters_.misses;
      return status(code::not_found, "memory: no such entry");
    }
    ++counters_.hits;
    used_.splice(used_.begin(), used_, it);
    found = *it;
  }
  entry e = *found;  // copied outside of the lock
  e.layer = name();
  return e;
}

status memory_store::put(const entry& e) {
  auto copy = std::make_shared<const entry>(e);
  const std::lock_guard lock(mutex_);
  if (const auto old = find(e.key, accept::same); old != used_.end()) drop(old);
  if (weight(e) > max_bytes_) {
    ++counters_.store_failures;
    return status(code::out_of_memory,
                  fmt::format("memory: an entry of {} bytes, at most {} are kept", weight(e), max_bytes_));
  }
  used_.push_front(std::move(copy));
  by_what_.emplace(e.key.what_digest(), used_.begin());
  bytes_ += weight(e);
  ++counters_.stores;
  while (bytes_ > max_bytes_) {
    drop(std::prev(used_.end()));
    ++counters_.evictions;
  }
  return {};
}

std::vector<entry_info> memory_store::list() {
  const std::lock_guard lock(mutex_);
  std::vector<entry_info> infos;
  for (const auto& e : used_) infos.push_back({e->key, name(), {}, 0, e->payload.size(), 0});
  return infos;
}

counters memory_store::stats() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void memory_store::clear() {
  const std::lock_guard lock(mutex_);
  by_what_.clear();
  used_.clear();
  bytes_ = 0;
}

}  // namespace rowsmith::cache
