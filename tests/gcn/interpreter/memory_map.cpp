#include "memory_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace rowsmith::gcn {

const memory_range* memory_snapshot::find(u64 at, u64 size) const {
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), at,
                                [](u64 address, const memory_range& r) { return address < r.begin; });
  if (after == ranges_.begin()) return nullptr;
  const memory_range& r = *std::prev(after);
  return r.holds(at, size) ? &r : nullptr;
}

std::string memory_snapshot::nearest(u64 at) const {
  const memory_range* best = nullptr;
  u64 distance = ~u64{0};
  for (const memory_range& r : ranges_) {
    const u64 away = at < r.begin ? r.begin - at : at < r.end ? 0 : at - r.end;
    if (away < distance) {
      best = &r;
      distance = away;
    }
  }
  if (best == nullptr) return "nothing is mapped";
  const u64 size = best->end - best->begin;
  const char* where = at < best->begin ? "before the begin of" : at < best->end ? "inside of" : "past the end of";
  return fmt::format("{} bytes {} the {} bytes at {:#x}",
                     at < best->begin || at >= best->end ? distance : at - best->begin, where, size, best->begin);
}

void memory_map::add(const void* base, std::size_t bytes, access allowed) {
  const u64 begin = reinterpret_cast<u64>(base);
  const std::lock_guard lock(guard_);
  ranges_[begin] = {begin, begin + bytes, allowed};
}

void memory_map::remove(const void* base) {
  const std::lock_guard lock(guard_);
  ranges_.erase(reinterpret_cast<u64>(base));
}

memory_snapshot memory_map::snapshot() const {
  const std::lock_guard lock(guard_);
  std::vector<memory_range> ordered;
  ordered.reserve(ranges_.size());
  for (const auto& [begin, range] : ranges_) ordered.push_back(range);
  return memory_snapshot(std::move(ordered));
}

}  // namespace rowsmith::gcn
