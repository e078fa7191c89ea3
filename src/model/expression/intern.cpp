#include "model/expression/intern.h"

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

}  // namespace

expression_id intern(const expression& e) {
  const expression* known = find(e.id());
  if (known == nullptr) {
    const std::unique_lock lock(table().mutex);
    known = &table().known.try_emplace(e.id(), e).first->second;
  }
  return *known == e ? e.id() : expression_id{};
}

const expression* find(const expression_id& id) {
  const std::shared_lock lock(table().mutex);
  const auto at = table().known.find(id);
  return at == table().known.end() ? nullptr : &at->second;
}

}  // namespace rowsmith
