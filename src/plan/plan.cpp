#include "plan/plan.h"

#include <fmt/format.h>

#include "model/op_table.h"
#include "plan/gpu.h"
#include "plan/host.h"
#include "plan/layout.h"

namespace rowsmith {

result<plan> make_plan(const shape_class& c, const traits& t) {
  if (c.inner_rank != 1) {
    return status(code::unsupported, fmt::format("the {} axes of a row do not merge into one", c.inner_rank));
  }
  if (sums_over_rows(c) && (c.pre || c.post)) {
    return status(code::unsupported, "sums over rows are not made of expressions");
  }
  if (c.width == 0 && describe(c.op).along != reduces::nothing) return status(code::unsupported, "rows are empty");
  return t.vendor == device_kind::host ? plan_for_host(c, t) : plan_for_gpu(c, t);
}

namespace {

constexpr int blocks_that_sum = 4;  // a unit: each of them writes a slab of sums over its rows

// The fallback's argument block has room for every operand of the op, in the op's order.
argument_layout layout_of(const op_row& op, const shape_class& c) {
  argument_layout l{static_cast<int>(op.operands.size()), max_outer, max_inner, {}};
  l.place.fill(max_operands);
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    for (std::uint8_t k = 0; k < c.operand_count; ++k) {
      if (c.operands[k].what == op.operands[i].what) l.place[i] = k;
    }
  }
  return l;
}

}  // namespace

plan make_scalar_plan(const shape_class& c, const traits& t) {
  const op_row& op = describe(c.op);
  launch_plan l;
  l.how = mechanism::scalar;
  l.entry = op.scalar_entry;
  l.header = op.scalar_header;
  l.algorithm = fmt::format("scalar_{}", op.name);
  l.layout = layout_of(op, c);
  l.threads = t.vendor == device_kind::host ? 1 : 256;
  l.rows_per_block = t.vendor == device_kind::host ? 16 : 1;
  plan p;
  p.op = c.op;
  p.why.push_back("scalar fallback: a block (on the host a thread) a row, any width, dtype and stride");
  p.launches.push_back(l);
  const bool any_class = c.operand_count == 0;  // its kernels are to be built, whatever they will be called with
  if (!any_class && !sums_over_rows(c)) return p;
  for (const scalar_launch& next : op.scalar_then) {
    l.entry = next.entry;
    l.algorithm = next.function;
    l.items = next.items;
    p.launches.push_back(l);
  }
  if (op.column_sums != 0) {
    p.launches.front().blocks_per_unit = blocks_that_sum;
    p.workspace_bytes = slabs_head;
    p.workspace_per_block = slab_bytes(c);
  }
  return p;
}

}  // namespace rowsmith
