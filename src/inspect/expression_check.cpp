#include "inspect/expression_check.h"

#include <fmt/format.h>

#include "model/op_table.h"

namespace rowsmith {

namespace {

bool has(const request& r, role what) noexcept {
  for (int k = 0; k < r.operand_count; ++k) {
    if (r.operands[k].what == what) return true;
  }
  return false;
}

int outputs_of(const request& r) noexcept {
  int count = 0;
  for (const operand_spec& s : describe(r.op).operands) count += s.output && has(r, s.what);
  return count;
}

}  // namespace

status check_expression(const expression& e, const request& r) noexcept {
  if (const int outputs = outputs_of(r); e.output_count() != outputs) {
    return status(code::invalid_argument, fmt::format("outputs: {} given, the expression has {}", outputs, e.output_count()));
  }
  unsigned used = 0;
  for (int n = 0; n < e.output_count(); ++n) used |= e.arguments_of(n);
  for (int k = 0; k < max_expression_arguments; ++k) {
    if ((used >> k & 1) != 0 && !has(r, argument_role(k))) {
      return status(code::invalid_argument, fmt::format("inputs: the expression reads arg({}), which is not given", k));
    }
  }
  return {};
}

}  // namespace rowsmith
