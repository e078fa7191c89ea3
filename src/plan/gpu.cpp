#include "plan/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "plan/layout.h"

namespace rowsmith {

namespace {

// ---- Figures that were found by measuring; see docs/tuning.md ----

constexpr int threads_of_lanes = 128;      // a block of several rows
constexpr int packs_a_lane = 4;            // aimed at: fewer leave loads too few in flight, more cost registers
constexpr int most_packs_a_thread = 8;
constexpr int least_block_threads = 128;
constexpr int held_threads = 512;          // a block that holds a row: two of them fill a multiprocessor
constexpr int streamed_threads = 1024;
constexpr int staged_threads = 256;
constexpr int staged_stages = 3;
constexpr std::int64_t largest_staged_row = 8 << 10;  // bytes: a tile of eight such rows still leaves room for stages

// How the packs of a row lie.
struct packing {
  int pack;             // elements
  bool window;          // packs start at 16-byte boundaries, not at the row's start; both ends are ragged
  std::int64_t packs;   // of a row, at most
};

bool all_access(const shape_class& c, int pack, int bytes) {
  for (int k = 0; k < c.operand_count; ++k) {
    const int size = static_cast<int>(size_of(c.operands[k].dtype));
    if (c.operands[k].inner == inner::contiguous && access_bytes(c, k, pack) < std::min(bytes, pack * size)) return false;
  }
  return true;
}

class planner {
 public:
  planner(const shape_class& c, const traits& t) : c_(c), t_(t) { plan_.op = c.op; }

  plan make() {
    const int widest_pack = widest_access / narrowest_element(c_);
    packing p{pack_that_divides(c_, widest_pack), false, 0};
    const bool aligned = all_contiguous(c_) && p.pack == widest_pack && all_access(c_, p.pack, widest_access);
    if (!aligned && all_contiguous(c_)) {
      if (std::optional<launch_plan> l = staged()) return finish(std::move(*l));
      if (c_.has(fact_same_phase)) {
        p = {widest_pack, true, 0};
        why("rows start at any element: packs follow 16-byte boundaries, the ends are scalar");
      }
    }
    if (!aligned && !p.window) {
      while (p.pack > 1 && !all_access(c_, p.pack, widest_access)) p.pack /= 2;
      why(fmt::format("packs of {}: the widest that width, bases and strides allow", p.pack));
    }
    if (aligned) why(fmt::format("packs of {}: width, bases and strides are multiples of 16 bytes", p.pack));
    p.packs = ceil_div(c_.width, p.pack) + (p.window ? 1 : 0);
    return finish(by_size(p));
  }

 private:
  void why(std::string sentence) { plan_.why.push_back(std::move(sentence)); }
  void reject(std::string what, std::string reason) { plan_.rejected.push_back({std::move(what), std::move(reason)}); }

  plan finish(launch_plan l) {
    plan_.launches.push_back(std::move(l));
    return std::move(plan_);
  }

  launch_plan start(mechanism how, int pack, bool window) const {
    launch_plan l = start_launch(c_, how);
    for (int k = 0; k < c_.operand_count; ++k) {
      const int size = static_cast<int>(size_of(c_.operands[k].dtype));
      l.access[static_cast<std::size_t>(k)] =
          static_cast<std::uint8_t>(window ? std::min(pack * size, widest_access) : access_bytes(c_, k, pack));
    }
    return l;
  }

  // Held by lanes of a wave, by a block, or streamed: whatever holds the row with few registers.
  launch_plan by_size(const packing& p) {
    const std::int64_t held_by_wave = static_cast<std::int64_t>(t_.wave) * most_packs_a_thread;
    if (p.packs <= held_by_wave) return lanes(p);
    reject("lanes", fmt::format("{} packs a row, a wave holds {}", p.packs, held_by_wave));
    const std::int64_t held_by_block = static_cast<std::int64_t>(std::min(held_threads, t_.max_threads)) * most_packs_a_thread;
    if (p.packs <= held_by_block) return block(p);
    reject("block", fmt::format("{} packs a row, a block of {} threads holds {}", p.packs, held_threads, held_by_block));
    return streamed(p);
  }

  launch_plan lanes(const packing& p) {
    int lanes = 1;
    while (lanes < t_.wave && static_cast<std::int64_t>(lanes) * packs_a_lane < p.packs) lanes *= 2;
    launch_plan l = start(mechanism::lanes, p.pack, p.window);
    l.threads = threads_of_lanes;
    l.rows_per_block = threads_of_lanes / lanes;
    l.constants = {{"width", fmt::format("{}", c_.width)}, {"pack", fmt::format("{}", p.pack)},
                   {"lanes", fmt::format("{}", lanes)},    {"threads", fmt::format("{}", l.threads)},
                   {"window", p.window ? "true" : "false"}, {"keep", "keep::values"}};
    why(fmt::format("{} lanes hold a row of {} packs, {} rows a block", lanes, p.packs, l.rows_per_block));
    return promise(std::move(l), p, 0);
  }

  launch_plan block(const packing& p) {
    int threads = least_block_threads;
    while (threads < held_threads && static_cast<std::int64_t>(threads) * packs_a_lane < p.packs) threads *= 2;
    const bool storage = ceil_div(p.packs, threads) * p.pack > 32;  // fp32 values a thread
    launch_plan l = start(mechanism::block, p.pack, p.window);
    l.threads = threads;
    l.constants = {{"width", fmt::format("{}", c_.width)}, {"pack", fmt::format("{}", p.pack)},
                   {"threads", fmt::format("{}", threads)}, {"window", p.window ? "true" : "false"},
                   {"keep", storage ? "keep::storage" : "keep::values"}};
    why(fmt::format("a block of {} threads holds a row of {} packs", threads, p.packs));
    if (storage) why("the row is kept in its storage dtype and exponentials are computed twice: registers");
    return promise(std::move(l), p, 1);
  }

  launch_plan streamed(const packing& p) {
    launch_plan l = start(mechanism::streamed, p.pack, p.window);
    l.threads = std::min(streamed_threads, t_.max_threads);
    l.constants = {{"width", fmt::format("{}", c_.width)}, {"pack", fmt::format("{}", p.pack)},
                   {"threads", fmt::format("{}", l.threads)}, {"window", p.window ? "true" : "false"}};
    why("the row is read twice: once for maximum and sum, once for the result");
    return promise(std::move(l), p, 1);
  }

  // Tiles of whole rows through shared memory. A tile is contiguous and a multiple of 16 bytes, whatever the width.
  std::optional<launch_plan> staged() {
    const std::int64_t row_bytes = c_.width * widest_element(c_);
    if (!c_.has(fact_dense)) return reject("staged", "rows do not follow each other in every operand"), std::nullopt;
    if (row_bytes > largest_staged_row) {
      return reject("staged", fmt::format("a row has {} bytes, at most {} are staged", row_bytes, largest_staged_row)),
             std::nullopt;
    }
    int lanes = 1;
    while (lanes < t_.wave && static_cast<std::int64_t>(lanes) * 8 < c_.width) lanes *= 2;
    const std::int64_t rows_at_once = staged_threads / lanes;
    std::int64_t tile_rows = std::max<std::int64_t>(rows_at_once, 8);
    const auto bytes = [&](std::int64_t rows) { return staged_shared_bytes(rows); };
    while (tile_rows > std::max<std::int64_t>(rows_at_once, 8) && bytes(tile_rows) > t_.unit_shared_bytes / 4) tile_rows /= 2;
    if (bytes(tile_rows) > t_.shared_bytes) return reject("staged", "a tile does not fit shared memory"), std::nullopt;
    launch_plan l = start(mechanism::staged, 1, false);
    l.threads = staged_threads;
    l.rows_per_block = static_cast<int>(tile_rows);
    l.dynamic_shared = static_cast<int>(bytes(tile_rows));
    l.blocks_per_unit = std::clamp(std::min(t_.unit_shared_bytes / l.dynamic_shared, t_.unit_threads / l.threads), 1, 8);
    l.constants = {{"width", fmt::format("{}", c_.width)},       {"lanes", fmt::format("{}", lanes)},
                   {"tile_rows", fmt::format("{}", tile_rows)},  {"threads", fmt::format("{}", l.threads)},
                   {"stages", fmt::format("{}", staged_stages)}, {"bulk", t_.bulk_copy ? "true" : "false"}};
    l.barriers = 1;
    why(fmt::format("rows are no multiple of 16 bytes: tiles of {} rows are contiguous and travel through shared memory{}",
                    tile_rows, t_.bulk_copy ? " by bulk copies" : ""));
    return l;
  }

  // As kernel_src/row/staged.h lays its buffers out; the rendered source asserts that both agree.
  int staged_shared_bytes(std::int64_t rows) const {
    const auto buffer = [&](dtype t) {
      const std::int64_t bytes = rows * c_.width * static_cast<std::int64_t>(size_of(t));
      return ceil_div(bytes + widest_access - 1, 128) * 128;
    };
    const int in_buffers = t_.bulk_copy ? staged_stages : 1, out_buffers = t_.bulk_copy ? 2 : 1;
    return static_cast<int>(in_buffers * buffer(c_.operands[0].dtype) + out_buffers * buffer(c_.operands[1].dtype));
  }

  launch_plan promise(launch_plan l, const packing& p, int barriers) const {
    l.barriers = barriers;
    l.wide_access = p.window || all_access(c_, p.pack, widest_access);
    if (t_.unit_registers != 0) l.register_budget = std::min(t_.registers, t_.unit_registers / std::max(l.threads, 512));
    return l;
  }

  const shape_class& c_;
  const traits& t_;
  plan plan_;
};

}  // namespace

result<plan> plan_for_gpu(const shape_class& c, const traits& t) { return planner(c, t).make(); }

}  // namespace rowsmith
