#include "plan/plan.h"

#include <fmt/format.h>

#include "model/op_table.h"
#include "plan/elementwise.h"
#include "plan/chains.h"
#include "plan/gpu.h"
#include "plan/host.h"
#include "plan/layout.h"

namespace rowsmith {

result<plan> make_plan(const shape_class& c, const traits& t) {
  if (describe(c.op).along == reduces::nothing) return plan_for_elements(c, t);
  if (c.width == 0) return status(code::unsupported, "rows of no elements: nothing to specialize on");
  if (sums_over_rows(c) && (c.inner_rank != 1 || c.pre || c.post)) {
    return status(code::unsupported, "sums over rows: neither of axes that do not merge nor of expressions");
  }
  return t.vendor == device_kind::host ? plan_for_host(c, t) : plan_for_gpu(c, t);
}

namespace {

// Ops with further arguments than x take expressions.
bool takes_expressions(const op_row& op) { return find_spec(op, role::in1) != nullptr; }

constexpr int blocks_that_sum = 4;  // a unit: each of them writes a slab of sums over its rows

// The fallback's argument block has room for every operand of the op, in the op's order.
argument_layout layout_of(const op_row& op, const shape_class& c) {
  argument_layout l{static_cast<int>(op.operands.size()), max_outer, max_inner, takes_expressions(op), {}};
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
  if (op.along == reduces::nothing) {
    l.items = work::elements;
    l.rows_per_block = t.vendor == device_kind::host ? 4096 : l.threads;
    p.why.push_back("scalar fallback: a thread an element, any dtype and stride");
  } else {
    p.why.push_back("scalar fallback: a block (on the host a thread) a row, any width, dtype and stride");
  }
  if (op.by_table) {
    l.items = work::table_rows;
    if (t.vendor == device_kind::host) {  // a thread looks at all indices once for so many rows
      l.rows_per_block = chained_rows_a_task;
      p.workspace_per_row = p.workspace_per_table_row = sizeof(std::int64_t);
    }
  }
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
    need_slabs(c, 1, &p);
  }
  return p;
}

}  // namespace rowsmith
