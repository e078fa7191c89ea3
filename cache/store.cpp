#include "cache/store.h"

#include <algorithm>

namespace rowsmith::cache {
namespace {

std::size_t shared_fields(const std::vector<field>& a, const std::vector<field>& b) {
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](const field& f) { return std::find(b.begin(), b.end(), f) != b.end(); }));
}

}  // namespace

std::optional<entry_info> nearest(const std::vector<entry_info>& listed, const key& k) {
  const entry_info* best = nullptr;
  std::size_t best_score = 0;
  for (const entry_info& info : listed) {
    const std::size_t score = shared_fields(k.what(), info.key.what()) + shared_fields(k.who(), info.key.who());
    if (best == nullptr || score > best_score || (score == best_score && info.last_used > best->last_used)) {
      best = &info;
      best_score = score;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

}  // namespace rowsmith::cache
