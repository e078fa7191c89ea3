#include "inspect/expressions.h"

#include <fmt/format.h>

#include <algorithm>

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
    return status(code::invalid_argument,
                  fmt::format("{}: {} names an argument that was not given", which, e->to_string()));
  }
  *used |= names;
  return {};
}

// Is there what an expression behind the op is about?
bool stores_rows(const shape_class& c) noexcept {
  const role main = main_output(describe(c.op));
  const operand_facts* const end = c.operands + c.operand_count;
  return std::any_of(c.operands, end, [&](const operand_facts& o) { return o.what == main; });
}

// The op that is nothing but its expression, which has as many outputs as there are.
status check_elementwise(const shape_class& c) {
  const expression* e = c.pre ? find(c.pre) : nullptr;
  if (e == nullptr)
    return status(code::invalid_argument, "pre: elementwise has to have an expression that somebody made");
  int outputs = 0;
  for (int k = 0; k < c.operand_count; ++k) outputs += c.operands[k].has(operand_output);
  if (e->output_count() != outputs) {
    return status(code::invalid_argument,
                  fmt::format("outputs: {} given, the expression has {}", outputs, e->output_count()));
  }
  unsigned names = 0;
  for (int n = 0; n < outputs; ++n) names |= e->arguments_of(n);
  if ((names & ~arguments_at_hand(c)) != 0) {
    return status(code::invalid_argument,
                  fmt::format("inputs: {} names an argument that was not given", e->to_string()));
  }
  return {};
}

}  // namespace

status check_expressions(const shape_class& c) {
  if (describe(c.op).along == reduces::nothing) {
    if (c.op == op_id::elementwise && !c.post) return check_elementwise(c);
    if (c.op == op_id::elementwise || c.pre || c.post) {
      return status(code::invalid_argument,
                    fmt::format("{}: takes no expression {}", describe(c.op).name, c.post ? "behind it" : "before it"));
    }
    return {};
  }
  if (describe(c.op).moves_only && (c.pre || c.post)) {
    return status(code::invalid_argument, fmt::format("{}: {} moves rows as they are, and takes no expression",
                                                      c.pre ? "pre" : "post", describe(c.op).name));
  }
  const unsigned at_hand = arguments_at_hand(c);
  unsigned used = 1;
  if (status s = check_one("pre", c.pre, at_hand, &used); !s) return s;
  if (status s = check_one("post", c.post, at_hand, &used); !s) return s;
  if (c.post && !stores_rows(c)) {
    return status(code::invalid_argument, fmt::format("post: this {} stores no rows", describe(c.op).name));
  }
  if (used != at_hand) return status(code::invalid_argument, "arguments: one was given that no expression names");
  return {};
}

}  // namespace rowsmith
