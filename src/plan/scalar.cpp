// The plans of the scalar fallback.
#include <fmt/format.h>

#include <utility>

#include "model/fused.h"
#include "model/op_table.h"
#include "plan/chains.h"
#include "plan/layout.h"
#include "plan/plan.h"

namespace rowsmith {

namespace {

constexpr int blocks_that_sum = 4;   // a unit: each of them writes a slab of sums over its rows
constexpr int host_elements = 4096;  // of a task
constexpr int host_rows = 16;
constexpr int block_threads = 256;

std::uint8_t place_of(const shape_class& c, role what) {
  for (std::uint8_t k = 0; k < c.operand_count; ++k) {
    if (c.operands[k].what == what) return k;
  }
  return max_operands;
}

// The fallback's argument block has room for every operand of the op, in the op's order. The interpreter of expressions
// has room for one more: what picks the rows of its first operand.
argument_layout layout_of(const op_row& op, const shape_class& c) {
  const bool interprets = op.id == op_id::elementwise;
  argument_layout l{static_cast<int>(op.operands.size()) + interprets, max_outer, max_inner,
                    interprets ? carried::pre : carried::none,         0,         {}};
  l.place.fill(max_operands);
  for (std::size_t i = 0; i < op.operands.size(); ++i) l.place[i] = place_of(c, op.operands[i].what);
  return l;
}

launch_plan launch_of(const op_row& op, const shape_class& c, const traits& t) {
  const bool host = t.vendor == device_kind::host;
  launch_plan l;
  l.how = mechanism::scalar;
  l.entry = op.scalar_entry;
  l.header = op.scalar_header;
  l.algorithm = fmt::format("scalar_{}", op.name);
  l.layout = layout_of(op, c);
  l.threads = host ? 1 : block_threads;
  l.rows_per_block = host ? host_rows : 1;
  if (op.along == reduces::nothing) {
    l.items = work::elements;
    l.rows_per_block = host ? host_elements : l.threads;
  }
  if (op.by_table) {
    l.items = work::table_rows;
    if (host) l.rows_per_block = chained_rows_a_task;  // a thread looks at all indices once for so many rows
  }
  return l;
}

// The interpreter's launch over an expression around a row op: arg(0) is what stands in place `from` of the call.
launch_plan interpret(const shape_class& c, const traits& t, carried which, int from) {
  const op_row& elementwise = describe(op_id::elementwise);
  launch_plan l = launch_of(elementwise, c, t);
  l.layout.words = which;
  l.layout.place[0] = static_cast<std::uint8_t>(from);
  for (std::size_t i = 0; i < elementwise.operands.size(); ++i) {
    if (elementwise.operands[i].output) l.layout.place[i] = max_operands;
  }
  return l;
}

int place_among(const op_row& op, role what) {
  int i = 0;
  while (op.operands[static_cast<std::size_t>(i)].what != what) ++i;
  return i;
}

// The op's own launch between those of its expressions, which write and read the workspace.
void add_expressions(const shape_class& c, const traits& t, plan* p) {
  const op_row &op = describe(c.op), &elementwise = describe(op_id::elementwise);
  constexpr std::uint16_t first = 1;
  launch_plan behind;
  const auto result = static_cast<std::size_t>(place_among(elementwise, role::y));
  launch_plan own = std::move(p->launches.front());
  p->launches.clear();
  if (c.post) {
    const role main = main_output(op);
    launch_plan l = interpret(c, t, carried::post, place_of(c, main));
    l.layout.in_workspace = first;
    l.layout.place[result] = place_of(c, main);
    own.layout.in_workspace |= static_cast<std::uint16_t>(1 << place_among(op, main));
    behind = std::move(l);
  }
  if (c.pre) {
    const std::uint8_t x = place_of(c, op.operands.front().what);
    launch_plan l = interpret(c, t, carried::pre, x);
    if (c.operands[x].has(operand_indexed)) l.layout.place[elementwise.operands.size()] = c.operands[x].rows_from;
    l.layout.place[result] = x;
    l.layout.in_workspace = static_cast<std::uint16_t>(1 << result);
    own.layout.in_workspace |= first;
    p->launches.push_back(std::move(l));
  }
  p->launches.push_back(std::move(own));
  if (c.post) p->launches.push_back(std::move(behind));
  p->workspace_per_row = static_cast<std::size_t>(c.width) * sizeof(float);
  p->why.push_back("expressions are interpreted, before and behind; between them and the op lies an fp32 tensor");
}

}  // namespace

bool has_scalar_plan(const shape_class& c) noexcept { return !is_fused(c) || !sums_over_rows(c); }

plan make_scalar_plan(const shape_class& c, const traits& t) {
  const op_row& op = describe(c.op);
  launch_plan l = launch_of(op, c, t);
  plan p;
  p.op = c.op;
  p.why.push_back(op.along == reduces::nothing
                      ? "scalar fallback: a thread an element, any dtype and stride"
                      : "scalar fallback: a block (on the host a thread) a row, any width, dtype and stride");
  if (op.by_table && t.vendor == device_kind::host) {
    p.workspace_per_row = p.workspace_per_table_row = sizeof(std::int64_t);
  }
  p.launches.push_back(l);
  if (is_fused(c)) add_expressions(c, t, &p);
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
