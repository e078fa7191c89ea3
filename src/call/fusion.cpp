#include "rowsmith/fusion.h"

#include "model/expression/intern.h"

namespace rowsmith {

namespace {

// An expression that cannot be told from another by its id is named by one that nobody has: the call refuses it.
expression_id id_of(const expression& e) noexcept {
  const expression_id known = intern(e);
  return known ? known : expression_id{{~std::uint64_t{0}, ~std::uint64_t{0}}};
}

}  // namespace

fusion& fusion::pre(const expression& e) noexcept { return before = id_of(e), *this; }
fusion& fusion::post(const expression& e) noexcept { return behind = id_of(e), *this; }

}  // namespace rowsmith
