#include "plan/widths.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/any_width.h"
#include "model/op_table.h"
#include "plan/columns.h"
#include "plan/layout.h"
#include "plan/streaming.h"

namespace rowsmith {

namespace {

// Not measured.
constexpr int lanes_of_narrow_rows = 8;
constexpr int threads_of_lanes = 128;
constexpr int threads_of_a_block = 256;

int threads_of(std::int64_t width) {
  if (width <= width_buckets[1]) return threads_of_lanes;
  return width <= width_buckets[2] ? threads_of_a_block : streamed_threads;
}

plan any_columns(draft& d) {
  const column_block b = column_block_of(d.c.width, d.t.wave, 0);
  launch_plan l = d.start(mechanism::any_width, 1, false);
  l.driver = "any_columns";
  l.threads = b.threads();
  l.rows_per_block = b.span;
  l.constants = {{"span", fmt::format("{}", b.span)}, {"members", fmt::format("{}", b.members)}};
  l.barriers = b.members > 1 && !describe(d.c.op).moves_only ? 1 : 0;
  d.why(fmt::format("rows are neighbours in memory, and so are their threads; {} share a row", b.members));
  return d.finish(std::move(l));
}

}  // namespace

plan any_width(draft& d) {
  d.why(fmt::format("a kernel for all widths of a bucket, up to {}: the call tells it its own", d.c.width));
  const bool sums = sums_over_rows(d.c);
  if (d.c.has(fact_side_by_side) && !sums && !d.c.asks_for(ask_batch_invariant)) return any_columns(d);
  // Ragged ends of several masks and tensors cost AMD's kernels more registers than there are.
  const bool spills = d.on_hip() && held_values(d.c) > 2;
  const bool window =
      all_contiguous(d.c) && d.c.has(fact_same_phase) && d.c.operands[0].has(operand_full) && !sums && !spills;
  const int pack = window ? std::max(widest_access / widest_element(d.c) / parts_of_a_pack(d, true), 1) : 1;
  const bool by_block = d.c.width > width_buckets[1];
  const int lanes = d.c.width <= width_buckets[0] ? lanes_of_narrow_rows : d.t.wave;
  launch_plan l = d.start(mechanism::any_width, pack, window);
  l.driver = by_block ? "any_block" : "any_lanes";
  l.threads = threads_of(d.c.width);
  l.rows_per_block = by_block ? 1 : l.threads / lanes;
  l.constants = {{"pack", fmt::format("{}", pack)}};
  if (!by_block) l.constants.push_back({"lanes", fmt::format("{}", lanes)});
  l.constants.push_back({"threads", fmt::format("{}", l.threads)});
  l.constants.push_back({"window", window ? "true" : "false"});
  d.why(fmt::format("{} pass over a row twice, in {}", by_block ? "a block's threads" : fmt::format("{} lanes", lanes),
                    window ? fmt::format("packs of {} that follow 16-byte boundaries", pack) : "single elements"));
  return d.finish(d.promise(std::move(l), {pack, window, 0}, by_block ? 1 : 0));
}

}  // namespace rowsmith
