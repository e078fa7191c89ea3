#include "plan/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/op_table.h"

namespace rowsmith {

int narrowest_element(const shape_class& c) noexcept {
  int size = 8;
  for (int k = 0; k < c.operand_count; ++k) size = std::min(size, static_cast<int>(size_of(c.operands[k].dtype)));
  return size;
}

int widest_element(const shape_class& c) noexcept {
  int size = 1;
  for (int k = 0; k < c.operand_count; ++k) size = std::max(size, static_cast<int>(size_of(c.operands[k].dtype)));
  return size;
}

bool all_contiguous(const shape_class& c) noexcept {
  return std::all_of(c.operands, c.operands + c.operand_count,
                     [](const operand_facts& o) { return o.inner == inner::contiguous; });
}

int pack_that_divides(const shape_class& c, int widest) noexcept {
  int pack = widest;
  while (c.width % pack != 0) pack /= 2;
  return pack;
}

int access_bytes(const shape_class& c, int k, int pack) noexcept {
  const operand_facts& o = c.operands[k];
  const int size = static_cast<int>(size_of(o.dtype));
  if (o.inner != inner::contiguous) return size;
  return std::min({pack * size, static_cast<int>(o.align), widest_access});
}

launch_plan start_launch(const shape_class& c, mechanism how) {
  const op_row& op = describe(c.op);
  launch_plan l;
  l.how = how;
  l.entry = fmt::format("rs_{}_{}", op.name, name_of(how));
  l.header = op.header;
  l.algorithm = fmt::format("{}<{}>", op.name, (c.options & option_accurate_exp) != 0 ? "exp_accurate" : "exp_fast");
  l.arg_operands = c.operand_count;
  l.arg_outer = c.outer_rank;
  return l;
}

}  // namespace rowsmith
