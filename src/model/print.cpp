// Every value of the model as text: for explain, logs, golden tests and, the facts, for cache keys.
#include <fmt/format.h>

#include "model/facts.h"
#include "model/op_table.h"
#include "model/plan.h"

namespace rowsmith {

namespace {

std::string_view name_of(inner i) noexcept {
  switch (i) {
    case inner::contiguous:
      return "contiguous";
    case inner::broadcast:
      return "broadcast";
    case inner::strided:
      return "strided";
  }
  return "unknown";
}

std::string_view name_of(work w) noexcept {
  switch (w) {
    case work::rows:
      return "rows";
    case work::columns:
      return "columns";
    case work::elements:
      return "elements";
    case work::table_rows:
      return "table rows";
  }
  return "unknown";
}

}  // namespace

std::string to_string(const shape_class& c) {
  const std::string width = c.width == 0                ? "any"
                            : c.asks_for(ask_any_width) ? fmt::format("any<={}", c.width)
                                                        : fmt::format("{}", c.width);
  std::string text = fmt::format("{} width={} outer={}", describe(c.op).name, width, c.outer_rank);
  if (c.inner_rank != 1) text += fmt::format(" inner={} run={}", c.inner_rank, c.run);
  text += fmt::format(" options={:#x}", c.options);
  if (c.pre) text += fmt::format(" pre={:016x}{:016x}", c.pre.word[1], c.pre.word[0]);
  if (c.post) text += fmt::format(" post={:016x}{:016x}", c.post.word[1], c.post.word[0]);
  if (c.asks_for(ask_batch_invariant)) text += " batch_invariant";
  if (c.has(fact_dense)) text += " dense";
  if (c.has(fact_same_phase)) text += " same_phase";
  if (c.has(fact_in_place)) text += " in_place";
  if (c.has(fact_side_by_side)) text += " side_by_side";
  if (c.has(fact_one_row)) text += " one_row";
  if (c.has(fact_crossed)) text += " crossed";
  if (c.has(fact_few)) text += " few";
  for (int i = 0; i < c.operand_count; ++i) {
    const operand_facts& o = c.operands[i];
    text +=
        fmt::format(" {}:{}/{}/{}", rowsmith::name_of(o.what), rowsmith::name_of(o.dtype), name_of(o.inner), o.align);
    if (o.has(operand_shared)) text += "/shared";
    if (o.has(operand_indexed)) text += fmt::format("/rows_from_{}", o.rows_from);
  }
  return text;
}

std::string to_string(const plan& p) {
  std::string text = fmt::format("op {}, {} launch{}, workspace {} bytes\n", describe(p.op).name, p.launches.size(),
                                 p.launches.size() == 1 ? "" : "es", p.workspace_bytes);
  if (p.workspace_per_block_column != 0) {
    text += fmt::format("and {} bytes a block and column\n", p.workspace_per_block_column);
  }
  if (p.workspace_per_row != 0) text += fmt::format("and {} bytes a row\n", p.workspace_per_row);
  if (p.workspace_per_table_row != 0)
    text += fmt::format("and {} bytes a row of the table\n", p.workspace_per_table_row);
  for (const launch_plan& l : p.launches) {
    text += fmt::format("launch {}: {}, threads {}, rows per block {}", l.entry, rowsmith::name_of(l.how), l.threads,
                        l.rows_per_block);
    if (l.blocks_per_unit != 0) text += fmt::format(", at most {} blocks a unit", l.blocks_per_unit);
    if (l.repeating != 0) text += " where a mask repeats";
    if (l.resident_blocks != 0) text += fmt::format(", {} resident", l.resident_blocks);
    if (l.dynamic_shared != 0) text += fmt::format(", dynamic shared {} bytes", l.dynamic_shared);
    if (l.cluster != 1) text += fmt::format(", cluster of {}", l.cluster);
    if (l.items != work::rows) text += fmt::format(", over {}", name_of(l.items));
    if (l.parts != 1) text += fmt::format(", {} parts each", l.parts);
    text += fmt::format("\n  arguments: {} operands, {} outer axes, {} inner\n", l.layout.operands, l.layout.outer,
                        l.layout.inner);
    text +=
        fmt::format("  promises: {}{}at least {} barriers\n", l.wide_access ? "16-byte accesses, " : "",
                    l.register_budget != 0 ? fmt::format("at most {} registers, ", l.register_budget) : "", l.barriers);
    for (const template_constant& c : l.constants) text += fmt::format("  {} = {}\n", c.name, c.value);
    text += fmt::format("  runs {} on every row\n", l.algorithm);
  }
  for (const std::string& w : p.why) text += fmt::format("why: {}\n", w);
  for (const rejection& r : p.rejected) text += fmt::format("rejected {}: {}\n", r.what, r.why);
  return text;
}

}  // namespace rowsmith
