#include "plan/held.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/op_table.h"
#include "plan/clustering.h"
#include "plan/layout.h"

namespace rowsmith {

namespace {

// ---- Figures that were found by measuring on an H200; see docs/tuning.md ----

constexpr int packs_a_thread = 3;  // aimed at: fewer leave loads too few in flight, more cost registers
constexpr int packs_held_by_a_lane = 4;
constexpr int packs_held_by_a_thread = 8;
constexpr int threads_of_lanes = 128;  // a block of several rows
constexpr int least_block_threads = 64;
constexpr int most_block_threads = 512;  // two such blocks fill a multiprocessor better than one of twice the size
constexpr int blocks_over_periods = 48;  // of a unit, where a mask or a bias repeats

// Packs of a row that a thread of a block holds: registers are shared among the values of an element, and what else the
// row is made of takes some, too.
int packs_in_a_block(const draft& d) {
  const int values = held_values(d.c);
  const bool sums = sums_over_rows(d.c);
  // Two tensors of 16 bits take no more registers than one of 32, as far as the compilers of newer chips can tell.
  const bool as_one =
      d.t.largest_cluster > 1 && !sums && values == 2 && describe(d.c.op).held_floats == 2 && widest_element(d.c) < 4;
  if (as_one) return packs_held_by_a_thread;
  int sharing = values;
  if (!reads_one_tensor(d.c)) sharing = std::max(sharing, 2);  // a mask, or a causal limit
  if (!reads_one_tensor(d.c) && sums && d.on_hip()) sharing = std::max(sharing, packs_held_by_a_thread);
  return std::max(packs_held_by_a_thread / std::max(sharing, 1), 1);
}

// Packs that a thread is to have; sums over rows stay in registers beside them.
int aimed_at(const draft& d) { return sums_over_rows(d.c) ? 1 : packs_a_thread; }
int aimed_at_in_a_block(const draft& d) {
  if (d.on_hip() || sums_over_rows(d.c) || widest_element(d.c) == 4) return aimed_at(d);
  return std::max(aimed_at(d), describe(d.c.op).packs_a_thread);
}

// About as many threads as are wanted, of whole waves, so that fewest packs of theirs are behind the row's end: 320
// hold 640 packs in two each, 256 only in three. Of windows as many a thread as the wanted threads hold: those in the
// middle are sure to be inside the row.
int fitting_threads(const packing& p, int wanted, int least, int wave) {
  const std::int64_t most_packs = ceil_div(p.packs, wanted);
  int best = wanted;
  std::int64_t room = most_packs * wanted;
  for (std::int64_t n = p.window ? most_packs : std::max<std::int64_t>(most_packs - 1, 1); n <= most_packs; ++n) {
    const std::int64_t threads = ceil_div(ceil_div(p.packs, n), wave) * wave;
    if (threads < least || threads > most_block_threads || n * threads >= room) continue;
    best = static_cast<int>(threads), room = n * threads;
  }
  return best;
}

// Masks and biases that move along some outer axes only.
std::uint16_t repeating_operands(const shape_class& c) {
  if (c.outer_rank < 2 || sums_over_rows(c)) return 0;
  std::uint16_t which = 0;
  for (int k = 0; k < c.operand_count; ++k) {
    const operand_facts& o = c.operands[k];
    const bool moves = !o.has(operand_shared) && !o.has(operand_full) && !o.has(operand_virtual);
    if (moves && !o.has(operand_output) && o.inner != inner::broadcast) which |= static_cast<std::uint16_t>(1u << k);
  }
  return which;
}

launch_plan by_lanes(draft& d, const packing& p) {
  const int lanes = std::min(d.t.wave, power_of_two_from(ceil_div(p.packs, aimed_at(d))));
  launch_plan l = d.start(mechanism::lanes, p.pack, p.window);
  l.repeating = repeating_operands(d.c);
  if (l.repeating != 0) l.blocks_per_unit = blocks_over_periods;
  l.threads = threads_of_lanes;
  l.rows_per_block = threads_of_lanes / lanes;
  l.constants = {{"width", fmt::format("{}", d.c.width)}, {"pack", fmt::format("{}", p.pack)},
                 {"lanes", fmt::format("{}", lanes)},     {"threads", fmt::format("{}", l.threads)},
                 {"window", p.window ? "true" : "false"}, {"keep", "keep::values"}};
  d.why(fmt::format("{} lanes hold a row of {} packs, {} rows a block", lanes, p.packs, l.rows_per_block));
  return d.promise(std::move(l), p, 0);
}

launch_plan by_block(draft& d, const packing& p) {
  const int least = std::max(least_block_threads, 2 * d.t.wave);
  const int wanted =
      std::clamp(power_of_two_from(ceil_div(p.packs, aimed_at_in_a_block(d))), least, most_block_threads);
  const int threads = fitting_threads(p, wanted, least, d.t.wave);
  // Where many wait for each other, they do so once a row rather than keep what they have computed.
  const bool crowd = threads == most_block_threads && widest_element(d.c) < 4 && !d.on_hip();
  const bool storage = narrowest_element(d.c) < 4 && ceil_div(p.packs, threads) > (crowd ? 1 : aimed_at(d));
  launch_plan l = d.start(mechanism::block, p.pack, p.window);
  l.threads = threads;
  l.constants = {{"width", fmt::format("{}", d.c.width)},
                 {"pack", fmt::format("{}", p.pack)},
                 {"threads", fmt::format("{}", threads)},
                 {"window", p.window ? "true" : "false"},
                 {"keep", storage ? "keep::storage" : "keep::values"}};
  d.why(fmt::format("a block of {} threads holds a row of {} packs", threads, p.packs));
  if (storage) d.why("the row is kept in its storage dtype and what is made of it is computed twice: registers");
  l = d.promise(std::move(l), p, 1);
  // Two tensors side by side may spill some words, and were measured to be faster so than in a cluster that does not.
  if (ceil_div(p.packs, threads) * held_values(d.c) > packs_held_by_a_thread) l.register_budget = 0;
  return l;
}

launch_plan by_cluster(draft& d, const packing& p, const clustering& g) {
  launch_plan l = d.start(mechanism::cluster, p.pack, p.window);
  l.threads = g.threads;
  l.cluster = g.blocks;
  l.resident_blocks = g.resident_blocks;
  l.constants = {{"width", fmt::format("{}", d.c.width)},
                 {"pack", fmt::format("{}", p.pack)},
                 {"threads", fmt::format("{}", g.threads)},
                 {"blocks", fmt::format("{}", g.blocks)},
                 {"window", p.window ? "true" : "false"},
                 {"keep", narrowest_element(d.c) < 4 ? "keep::storage" : "keep::values"}};
  d.why(fmt::format("a cluster of {} blocks of {} threads holds a row of {} packs{}", g.blocks, g.threads, p.packs,
                    d.c.has(fact_few) ? ": few rows leave a card idle otherwise" : ""));
  return d.promise(std::move(l), p, 1);
}

}  // namespace

std::optional<launch_plan> held(draft& d, const packing& p) {
  const std::int64_t by_a_wave =
      static_cast<std::int64_t>(d.t.wave) * std::max(packs_held_by_a_lane / held_values(d.c), 1);
  if (p.packs <= by_a_wave) return by_lanes(d, p);
  const std::optional<clustering> together =
      sums_over_rows(d.c) || d.c.asks_for(ask_batch_invariant) ? std::nullopt : cluster(d.c, d.t, p.packs);
  if (together && d.c.has(fact_few)) return by_cluster(d, p, *together);
  d.reject("lanes", fmt::format("{} packs a row, a wave holds {}", p.packs, by_a_wave));
  const int threads = std::min(most_block_threads, d.t.max_threads);
  const std::int64_t by_a_block = static_cast<std::int64_t>(threads) * packs_in_a_block(d);
  // Elements fetched one by one cost AMD's kernels so many registers that a held row would spill.
  const bool one_by_one = !all_contiguous(d.c) || d.c.asks_for(ask_batch_invariant);
  if (p.packs <= by_a_block && !(d.on_hip() && one_by_one)) return by_block(d, p);
  if (together) return by_cluster(d, p, *together);
  d.reject("block", fmt::format("{} packs a row, a block of {} threads holds {}", p.packs, threads, by_a_block));
  return std::nullopt;
}

}  // namespace rowsmith
