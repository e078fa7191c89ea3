#include "plan/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/fused.h"
#include "model/op_table.h"

namespace rowsmith {

int power_of_two_from(std::int64_t v) noexcept {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(v, 1))));
}

bool is_of_full_shape(const shape_class& c, const operand_facts& o) noexcept {
  if (!c.asks_for(ask_batch_invariant)) return o.has(operand_full);
  return find_spec(describe(c.op), o.what)->extent == reach::full;
}

int narrowest_element(const shape_class& c) noexcept {
  int size = 8;
  for (const operand_facts& o : operands_of(c)) {
    if (is_of_full_shape(c, o)) size = std::min(size, static_cast<int>(size_of(o.dtype)));
  }
  return size;
}

int widest_element(const shape_class& c) noexcept {
  int size = 1;
  for (const operand_facts& o : operands_of(c)) {
    if (is_of_full_shape(c, o)) size = std::max(size, static_cast<int>(size_of(o.dtype)));
  }
  return size;
}

bool all_contiguous(const shape_class& c) noexcept {
  if (c.inner_rank != 1) return false;
  const auto all = operands_of(c);
  return std::all_of(all.begin(), all.end(),
                     [](const operand_facts& o) { return !o.has(operand_full) || o.inner == inner::contiguous; });
}

int pack_that_divides(const shape_class& c, int widest) noexcept {
  int pack = widest;
  const bool in_runs = c.inner_rank > 1 && !c.asks_for(ask_batch_invariant);
  while (c.width % pack != 0 || (in_runs && pack > c.run)) pack /= 2;
  return pack;
}

int access_bytes(const shape_class& c, int k, int pack) noexcept {
  const operand_facts& o = c.operands[k];
  const int size = static_cast<int>(size_of(o.dtype));
  if (o.inner != inner::contiguous || (c.inner_rank > 1 && pack > c.run)) return size;
  return std::min({pack * size, static_cast<int>(o.align), widest_access});
}

bool sums_over_rows(const shape_class& c) noexcept {
  const op_row& op = describe(c.op);
  const auto all = operands_of(c);
  return op.column_sums != 0 && std::any_of(all.begin(), all.end(), [&](const operand_facts& o) {
           return o.has(operand_output) && find_spec(op, o.what)->extent == reach::per_column;
         });
}

void need_slabs(const shape_class& c, int teams, plan* p) noexcept {
  constexpr std::size_t head = 16;                                               // as kernel_src/row/slabs.h has it
  const auto floats = 2 * static_cast<std::size_t>(describe(c.op).column_sums);  // a sum and its compensation
  const std::size_t a_column = floats * sizeof(float) * static_cast<std::size_t>(teams);
  p->workspace_bytes = head;
  if (c.asks_for(ask_any_width)) {
    p->workspace_per_block_column = a_column;
  } else {
    p->workspace_per_block = a_column * static_cast<std::size_t>(c.width);
  }
}

std::string width_text(const shape_class& c) { return fmt::format("{}", c.asks_for(ask_any_width) ? 0 : c.width); }

launch_plan total_launch(const shape_class& c, mechanism how) {
  launch_plan l = start_launch(c, how);
  l.items = work::columns;
  l.algorithm = describe(c.op).total;
  for (std::size_t k = 0; k < c.operand_count; ++k) {
    l.access[k] = static_cast<std::uint8_t>(size_of(c.operands[k].dtype));
  }
  l.constants = {{"width", width_text(c)}, {"sums", fmt::format("{}", describe(c.op).column_sums)}};
  return l;
}

// Values of a row element that are held at once: the op's own, and those of every mask and bias that runs along the
// row.
int held_values(const shape_class& c) noexcept {
  const op_row& op = describe(c.op);
  int values = op.held_floats;
  for (const operand_facts& o : operands_of(c)) {
    const operand_spec* spec = find_spec(op, o.what);
    const bool runs_along = o.inner != inner::broadcast || c.asks_for(ask_batch_invariant);
    values += spec->optional && spec->extent == reach::broadcast && runs_along;
  }
  if (is_fused(c)) ++values;
  return values;
}

// Is one tensor all that a row is made of?
bool reads_one_tensor(const shape_class& c) noexcept {
  const auto all = operands_of(c);
  const auto is_virtual = [](const operand_facts& o) { return o.has(operand_virtual); };
  return held_values(c) == 1 && std::none_of(all.begin(), all.end(), is_virtual);
}

launch_plan start_launch(const shape_class& c, mechanism how) {
  const op_row& op = describe(c.op);
  launch_plan l;
  l.how = how;
  l.entry = fmt::format("rs_{}_{}", op.name, name_of(how));
  l.header = op.header;
  l.algorithm = functor_of(op, c.options);
  l.layout.operands = c.operand_count;
  l.layout.outer = c.outer_rank;
  l.layout.inner = c.inner_rank;
  for (std::size_t k = 0; k < l.layout.place.size(); ++k) l.layout.place[k] = static_cast<std::uint8_t>(k);
  return l;
}

}  // namespace rowsmith
