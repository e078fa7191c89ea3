#include "model/expression/intern.h"

#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "base/no_destructor.h"

namespace rowsmith {

namespace {

struct id_hash {
  std::size_t operator()(const expression_id& id) const noexcept { return static_cast<std::size_t>(id.word[0]); }
};

struct intern_table {
  std::shared_mutex mutex;
  std::unordered_map<expression_id, expression, id_hash> known;  // a node's address does not change
};

intern_table& table() {
  static no_destructor<intern_table> t;
  return *t;
}

// What was interned of late, by id: a warm call takes no lock.
std::atomic<const expression*>& recent(const expression_id& id) noexcept {
  static constinit std::array<std::atomic<const expression*>, 256> all{};
  return all[id.word[0] % all.size()];
}

}  // namespace

expression_id intern(const expression& e) {
  const expression* known = recent(e.id()).load(std::memory_order_acquire);
  if (known != nullptr && *known == e) return e.id();
  known = find(e.id());
  if (known == nullptr) {
    const std::unique_lock lock(table().mutex);
    known = &table().known.try_emplace(e.id(), e).first->second;
  }
  recent(e.id()).store(known, std::memory_order_release);
  return *known == e ? e.id() : expression_id{};
}

const expression* find(const expression_id& id) {
  const std::shared_lock lock(table().mutex);
  const auto at = table().known.find(id);
  return at == table().known.end() ? nullptr : &at->second;
}

}  // namespace rowsmith
