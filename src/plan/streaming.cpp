#include "plan/streaming.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/op_table.h"
#include "plan/layout.h"

namespace rowsmith {

namespace {

// Figures that were found by measuring on an H200; see docs/tuning.md.
constexpr int streamed_threads_of_huge = 1024;  // fewer rows in flight: what is read again has to stay in the L2
constexpr std::int64_t huge_row = 128 << 10;    // bytes
constexpr int kept_packs = 4;                   // of a streamed row, in registers between its two passes
constexpr int kept_packs_windowed = 6;
constexpr int most_streaming_blocks = 16;  // of a cluster; a thread then has about so many packs:
constexpr int packs_streamed = 16;

bool is_huge(const shape_class& c) {
  return c.width * static_cast<std::int64_t>(size_of(c.operands[0].dtype)) > huge_row;
}

// Is a row one tensor's, with nothing beside it that wants registers?
bool is_alone(const draft& d) { return reads_one_tensor(d.c) && d.full_inputs() <= 1 && !d.has_columns(); }

bool can_cluster(const draft& d) {
  return is_huge(d.c) && !d.c.asks_for(ask_batch_invariant) && d.t.largest_cluster >= most_streaming_blocks &&
         all_contiguous(d.c) && d.c.width <= INT32_MAX / 2 && is_alone(d) && describe(d.c.op).lean &&
         !sums_over_rows(d.c);
}

launch_plan by_cluster(draft& d, const packing& p) {
  launch_plan l = d.start(mechanism::cluster, p.pack, p.window);
  l.driver = "cluster_streamed";
  l.threads = streamed_threads;
  l.cluster = std::clamp(power_of_two_from(p.packs / (streamed_threads * packs_streamed)), 2, most_streaming_blocks);
  l.resident_blocks = 2;
  l.constants = {{"width", fmt::format("{}", d.c.width)},   {"pack", fmt::format("{}", p.pack)},
                 {"threads", fmt::format("{}", l.threads)}, {"blocks", fmt::format("{}", l.cluster)},
                 {"window", p.window ? "true" : "false"},   {"kept", fmt::format("{}", kept_packs)}};
  d.why(
      fmt::format("a cluster of {} blocks passes over the row twice: so few rows are under way that the L2 has them "
                  "the second time",
                  l.cluster));
  return d.promise(std::move(l), p, 1);
}

launch_plan by_block(draft& d, packing p) {
  if (const int parts = parts_of_a_pack(d, p.window); parts != 1) {
    p.pack = std::max(p.pack / parts, 1);
    d.why(fmt::format("packs of {}: registers for the masks and for several tensors", p.pack));
  }
  // Bounding registers, and spending them on kept packs, was measured on NVIDIA's larger chips only.
  const bool tuned = !d.on_hip() && d.t.unit_threads >= 2048 && describe(d.c.op).lean;
  const bool huge = is_huge(d.c);
  launch_plan l = d.start(mechanism::streamed, p.pack, p.window);
  l.threads =
      std::min(huge && tuned && reads_one_tensor(d.c) ? streamed_threads_of_huge : streamed_threads, d.t.max_threads);
  // Masks, weights and a second tensor want the registers themselves.
  const bool bounded = !huge && tuned && is_alone(d);
  if (bounded) l.resident_blocks = 2;
  int kept = p.window ? kept_packs_windowed : kept_packs;
  if (!bounded || narrowest_element(d.c) == 4) kept = 0;
  l.constants = {{"width", fmt::format("{}", d.c.width)},
                 {"pack", fmt::format("{}", p.pack)},
                 {"threads", fmt::format("{}", l.threads)},
                 {"window", p.window ? "true" : "false"},
                 {"kept", fmt::format("{}", kept)}};
  d.why("the row is read twice: once for what is reduced over it, once for the result");
  if (kept != 0) d.why(fmt::format("{} packs a thread stay in registers between the passes", kept));
  return d.promise(std::move(l), p, 1);
}

}  // namespace

// Sooner with AMD's compilers and with those of older chips, and where ragged ends are read element by element.
int parts_of_a_pack(const draft& d, bool window) {
  const bool several_values = held_values(d.c) > 1;
  if (d.on_hip()) {
    if (sums_over_rows(d.c) || (window && d.full_inputs() > 1)) return 4;
    if (is_alone(d)) return 1;
    return held_values(d.c) > 2 ? 4 : 2;
  }
  if (d.full_inputs() > 1) return 4;
  const bool spills_sooner = d.t.largest_cluster < 2 && !reads_one_tensor(d.c);
  return (several_values ? 2 : 1) * (spills_sooner ? 2 : 1);
}

launch_plan streamed(draft& d, const packing& p) { return can_cluster(d) ? by_cluster(d, p) : by_block(d, p); }

}  // namespace rowsmith
