#include "inspect/expressions.h"

#include <fmt/format.h>

#include "model/expression/intern.h"
#include "model/op_table.h"

namespace rowsmith {

namespace {

// Bit k: arg(k) has an operand. The first is the op's own.
unsigned arguments_at_hand(const shape_class& c) noexcept {
  unsigned mask = 1;
  for (int i = 0; i < c.operand_count; ++i) {
    for (int k = 1; k < 8; ++k) {
      if (c.operands[i].what == argument_role(k)) mask |= 1u << k;
    }
  }
  return mask;
}

status check_one(std::string_view which, const expression_id& id, unsigned at_hand, unsigned* used) {
  if (!id) return {};
  const expression* e = find(id);
  if (e == nullptr) return status(code::invalid_argument, fmt::format("{}: an expression that nobody made", which));
  if (e->output_count() != 1) {
    return status(code::invalid_argument, fmt::format("{}: has {} outputs, 1 is needed", which, e->output_count()));
  }
  const unsigned names = e->arguments_of(0);
  if ((names & 1) == 0) return status(code::invalid_argument, fmt::format("{}: does not name arg(0)", which));
  if ((names & ~at_hand) != 0) {
    return status(code::invalid_argument, fmt::format("{}: {} names an argument that was not given", which, e->to_string()));
  }
  *used |= names;
  return {};
}

}  // namespace

status check_expressions(const shape_class& c) {
  if (describe(c.op).along == reduces::nothing) return {};  // its expression is the op: checked by its door
  const unsigned at_hand = arguments_at_hand(c);
  unsigned used = 1;
  if (status s = check_one("pre", c.pre, at_hand, &used); !s) return s;
  if (status s = check_one("post", c.post, at_hand, &used); !s) return s;
  if (used != at_hand) return status(code::invalid_argument, "arguments: one was given that no expression names");
  return {};
}

}  // namespace rowsmith
