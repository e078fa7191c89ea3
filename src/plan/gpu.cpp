#include "plan/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/op_table.h"
#include "plan/chains.h"
#include "plan/columns.h"
#include "plan/draft.h"
#include "plan/held.h"
#include "plan/layout.h"
#include "plan/splitting.h"
#include "plan/staging.h"
#include "plan/streaming.h"
#include "plan/widths.h"

namespace rowsmith {

namespace {

constexpr int column_elements_held = 32;  // by a thread; measured on an H200, see docs/tuning.md
constexpr int column_elements_held_hip = 16;

bool all_access(const shape_class& c, int pack, int bytes) {
  for (int k = 0; k < c.operand_count; ++k) {
    const operand_facts& o = c.operands[k];
    const int size = static_cast<int>(size_of(o.dtype));
    if (!o.has(operand_full) || o.inner != inner::contiguous) continue;
    if (access_bytes(c, k, pack) < std::min(bytes, pack * size)) return false;
  }
  return true;
}

launch_plan by_size(draft& d, const packing& p) {
  if (std::optional<launch_plan> l = held(d, p)) return std::move(*l);
  return streamed(d, p);
}

// Batch-invariant: the width alone deals out the elements. Alignment is only how many bytes an access of a pack has.
plan by_width_alone(draft& d) {
  packing p{pack_that_divides(d.c, widest_access / widest_element(d.c)), false, 0};
  p.packs = d.c.width / p.pack;
  d.why(fmt::format("batch-invariant: packs of {}, the widest that divide the width, wherever the rows lie", p.pack));
  if (can_split(d.c)) return split(d, p.pack);
  return d.finish(by_size(d, p));
}

// Neighbouring rows to neighbouring threads: an access of a wave is one piece of memory.
plan columns(draft& d) {
  d.why("rows are neighbours in memory: neighbouring threads own neighbouring rows");
  const int elements = (d.on_hip() ? column_elements_held_hip : column_elements_held) / describe(d.c.op).held_floats;
  const column_block b = column_block_of(d.c.width, d.t.wave, std::max(elements, 1));
  if (can_split_columns(d.c)) return split_columns(d, b);
  launch_plan l = d.start(mechanism::columns, 1, false);
  l.threads = b.threads();
  l.rows_per_block = b.span;
  l.constants = {{"width", fmt::format("{}", d.c.width)},
                 {"span", fmt::format("{}", b.span)},
                 {"members", fmt::format("{}", b.members)},
                 {"held", b.held ? "true" : "false"}};
  l.barriers = b.members > 1 && !describe(d.c.op).moves_only ? 1 : 0;
  d.why(fmt::format("{} threads share a row, {}", b.members, b.held ? "in registers" : "which they pass over twice"));
  return d.finish(std::move(l));
}

// Tiles of whole rows through shared memory. Rows lie end to end, so that a tile is one contiguous piece at any width.
std::optional<launch_plan> staged(draft& d) {
  if (!d.c.operands[0].has(operand_full)) return d.reject("staged", "the first operand repeats"), std::nullopt;
  if (!d.c.has(fact_dense)) return d.reject("staged", "rows do not follow each other in every operand"), std::nullopt;
  if (d.c.width > widest_staged) {
    return d.reject("staged", fmt::format("a row has {} elements, at most {} are staged", d.c.width, widest_staged)),
           std::nullopt;
  }
  const std::optional<staging> g = stage(d.c, d.t);
  if (!g) return d.reject("staged", "a tile does not fit shared memory"), std::nullopt;
  launch_plan l = d.start(mechanism::staged, 1, false);
  l.threads = g->threads;
  l.rows_per_block = g->tile_rows;
  l.dynamic_shared = g->shared_bytes;
  l.blocks_per_unit = g->blocks_per_unit;
  l.constants = {{"width", fmt::format("{}", d.c.width)},        {"lanes", fmt::format("{}", g->lanes)},
                 {"tile_rows", fmt::format("{}", g->tile_rows)}, {"threads", fmt::format("{}", g->threads)},
                 {"stages", fmt::format("{}", g->stages)},       {"bulk", d.t.bulk_copy ? "true" : "false"}};
  l.barriers = 1;
  d.why(fmt::format(
      "rows are no multiple of 16 bytes: tiles of {} rows are contiguous and travel through shared memory{}",
      g->tile_rows, d.t.bulk_copy ? " by bulk copies" : ""));
  return l;
}

// Rows whose elements are dealt out by where they lie.
plan by_layout(draft& d) {
  const shape_class& c = d.c;
  // A pack fills an access of the widest element: a lane's two halves of a wider store would lie apart.
  const int widest_pack = widest_access / widest_element(c);
  packing p{pack_that_divides(c, widest_pack), false, 0};
  const bool aligned = all_contiguous(c) && p.pack == widest_pack && all_access(c, p.pack, widest_access);
  // Sums over rows want every thread to have the same columns in every row.
  if (!aligned && all_contiguous(c) && !sums_over_rows(c) && !can_split(c)) {
    if (std::optional<launch_plan> l = staged(d)) return d.finish(std::move(*l));
    if (c.has(fact_same_phase) && c.operands[0].has(operand_full)) {  // which tells the phase
      p = {widest_pack, true, 0};
      d.why("rows start at any element: packs follow 16-byte boundaries, their ends are stored one by one");
    }
  }
  if (!aligned && !p.window) {
    while (p.pack > 1 && !all_access(c, p.pack, widest_access)) p.pack /= 2;
    d.why(fmt::format("packs of {}: the widest that width, bases and strides allow", p.pack));
  }
  if (aligned) d.why(fmt::format("packs of {}: width, bases and strides are multiples of 16 bytes", p.pack));
  p.packs = ceil_div(c.width, p.pack) + (p.window ? 1 : 0);
  if (can_split(c) && !p.window) return split(d, p.pack);
  return d.finish(by_size(d, p));
}

}  // namespace

result<plan> plan_for_gpu(const shape_class& c, const traits& t) {
  if (describe(c.op).by_table) return plan_chains(c, t);
  draft d(c, t);
  if (c.asks_for(ask_any_width)) return any_width(d);
  if (c.asks_for(ask_batch_invariant)) return by_width_alone(d);
  if (c.has(fact_side_by_side) && !sums_over_rows(c)) return columns(d);
  return by_layout(d);
}

}  // namespace rowsmith
