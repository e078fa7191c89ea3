#include "build/entry_check.h"

namespace rowsmith {

std::string_view what_of(const cache::key& k, std::string_view name) noexcept {
  for (const cache::field& f : k.what()) {
    if (f.name == name) return f.value;
  }
  return {};
}

result<entry_target> target_of(const cache::key& k) {
  device where;
  if (!parse(what_of(k, "backend"), &where)) return status(code::corrupt, "the key names no backend");
  backend* b = backend_for(where.kind);
  if (b == nullptr) return status(code::unsupported, "no such backend in this build");
  result<traits> t = b->traits_of(what_of(k, "target"));
  if (!t) return t.status();
  return entry_target{b, std::move(*t)};
}

status check_entry(const cache::entry& e) {
  const result<entry_target> t = target_of(e.key);
  if (!t) return t.status();
  return t->vendor->check(std::as_bytes(std::span(e.payload)), t->traits, what_of(e.key, "entry"));
}

}  // namespace rowsmith
