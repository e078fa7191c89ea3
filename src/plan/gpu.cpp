#include "plan/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "model/any_width.h"
#include "model/op_table.h"
#include "plan/chains.h"
#include "plan/columns.h"
#include "plan/clustering.h"
#include "plan/layout.h"
#include "plan/staging.h"

namespace rowsmith {

namespace {

// ---- Figures that were found by measuring on an H200; see docs/tuning.md ----

constexpr int packs_a_thread = 3;  // aimed at: fewer leave loads too few in flight, more cost registers
constexpr int packs_held_by_a_lane = 4;
constexpr int packs_held_by_a_thread = 8;
constexpr int threads_of_lanes = 128;  // a block of several rows
constexpr int least_block_threads = 64;
constexpr int most_block_threads = 512;  // two such blocks fill a multiprocessor better than one of twice the size
constexpr int streamed_threads = 512;
constexpr int streamed_threads_of_huge = 1024;  // fewer rows in flight: what is read again has to stay in the L2
constexpr std::int64_t huge_row = 128 << 10;    // bytes
constexpr std::int64_t split_from = 256 << 10;  // elements of a row that is worth a second launch
constexpr std::int64_t split_part = 64 << 10;
constexpr std::int64_t split_columns_from = 8 << 10;
constexpr std::int64_t split_columns_part = 2 << 10;
constexpr std::int64_t most_parts = 256;
constexpr int column_elements_held = 32;  // by a thread
constexpr int column_elements_held_hip = 16;
constexpr int kept_packs = 4;            // of a streamed row, in registers between its two passes
constexpr int kept_packs_windowed = 6;
constexpr int most_streaming_blocks = 16;  // of a cluster; a thread then has about so many packs:
constexpr int packs_streamed = 16;
constexpr int blocks_over_periods = 48;  // of a unit, where a mask or a bias repeats

// Not measured: sums over rows.
constexpr int threads_that_sum = 1024;  // a unit: more of them leave more to add up
constexpr int total_threads = 512;
constexpr int total_columns = 32;  // of a block: as kernel_src/row/totals.h has it

// Not measured: rows whose width is a number of the call.
constexpr int lanes_of_narrow_rows = 8;
constexpr int threads_of_any = 256;

int power_of_two_from(std::int64_t v) noexcept {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(v, 1))));
}

// How the packs of a row lie.
struct packing {
  int pack;            // elements
  bool window;         // packs start at 16-byte boundaries, not at the row's start; both ends are ragged
  std::int64_t packs;  // of a row, at most
};

bool all_access(const shape_class& c, int pack, int bytes) {
  for (int k = 0; k < c.operand_count; ++k) {
    const operand_facts& o = c.operands[k];
    const int size = static_cast<int>(size_of(o.dtype));
    if (!o.has(operand_full) || o.inner != inner::contiguous) continue;
    if (access_bytes(c, k, pack) < std::min(bytes, pack * size)) return false;
  }
  return true;
}

class planner {
 public:
  planner(const shape_class& c, const traits& t) : c_(c), t_(t) { plan_.op = c.op; }

  plan make() {
    if (c_.asks_for(ask_any_width)) return any_width();
    if (c_.asks_for(ask_batch_invariant)) return by_width_alone();
    if (c_.has(fact_side_by_side) && !sums_over_rows(c_)) return columns();
    // A pack fills an access of the widest element: a lane's two halves of a wider store would lie apart.
    const int widest_pack = widest_access / widest_element(c_);
    packing p{pack_that_divides(c_, widest_pack), false, 0};
    const bool aligned = all_contiguous(c_) && p.pack == widest_pack && all_access(c_, p.pack, widest_access);
    // Sums over rows want every thread to have the same columns in every row.
    const bool cut = can_split() && c_.width >= split_from;
    if (!aligned && all_contiguous(c_) && !sums_over_rows(c_) && !cut) {
      if (std::optional<launch_plan> l = staged()) return finish(std::move(*l));
      if (c_.has(fact_same_phase) && c_.operands[0].has(operand_full)) {  // which tells the phase
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
    if (can_split() && c_.width >= split_from && !p.window) return split(p.pack);
    return finish(by_size(p));
  }

 private:
  // The width is a number of the call: nothing is held, and packs follow 16-byte boundaries or are single elements.
  plan any_width() {
    why(fmt::format("a kernel for all widths of a bucket, up to {}: the call tells it its own", c_.width));
    if (c_.has(fact_side_by_side) && !sums_over_rows(c_) && !c_.asks_for(ask_batch_invariant)) return any_columns();
    // Ragged ends of several masks and tensors cost AMD's kernels more registers than there are.
    const bool spills = t_.vendor == device_kind::hip && held_values(c_) > 2;
    const bool window = all_contiguous(c_) && c_.has(fact_same_phase) && c_.operands[0].has(operand_full) &&
                        !sums_over_rows(c_) && !spills;
    const int widest = widest_access / widest_element(c_);
    const int pack = window ? std::max(widest / parts_of_a_pack(true), 1) : 1;
    const bool by_block = c_.width > width_buckets[1];
    const int lanes = c_.width <= width_buckets[0] ? lanes_of_narrow_rows : t_.wave;
    launch_plan l = start(mechanism::any_width, pack, window);
    l.driver = by_block ? "any_block" : "any_lanes";
    l.threads = !by_block ? threads_of_lanes : c_.width <= width_buckets[2] ? threads_of_any : streamed_threads;
    l.rows_per_block = by_block ? 1 : l.threads / lanes;
    l.constants = {{"pack", fmt::format("{}", pack)}};
    if (!by_block) l.constants.push_back({"lanes", fmt::format("{}", lanes)});
    l.constants.push_back({"threads", fmt::format("{}", l.threads)});
    l.constants.push_back({"window", window ? "true" : "false"});
    why(fmt::format("{} pass over a row twice, in {}", by_block ? "a block's threads" : fmt::format("{} lanes", lanes),
                    window ? fmt::format("packs of {} that follow 16-byte boundaries", pack) : "single elements"));
    return finish(promise(std::move(l), {pack, window, 0}, by_block ? 1 : 0));
  }

  plan any_columns() {
    const column_block b = column_block_of(c_.width, t_.wave, 0);
    launch_plan l = start(mechanism::any_width, 1, false);
    l.driver = "any_columns";
    l.threads = b.threads();
    l.rows_per_block = b.span;
    l.constants = {{"span", fmt::format("{}", b.span)}, {"members", fmt::format("{}", b.members)}};
    l.barriers = b.members > 1 && !describe(c_.op).moves_only ? 1 : 0;
    why(fmt::format("rows are neighbours in memory, and so are their threads; {} share a row", b.members));
    return finish(std::move(l));
  }

  // Batch-invariant: the width alone deals out the elements. Alignment is only how many bytes an access of a pack has.
  plan by_width_alone() {
    packing p{pack_that_divides(c_, widest_access / widest_element(c_)), false, 0};
    p.packs = c_.width / p.pack;
    why(fmt::format("batch-invariant: packs of {}, the widest that divide the width, wherever the rows lie", p.pack));
    if (can_split() && c_.width >= split_from) return split(p.pack);
    return finish(by_size(p));
  }

  void why(std::string sentence) { plan_.why.push_back(std::move(sentence)); }
  void reject(std::string what, std::string reason) { plan_.rejected.push_back({std::move(what), std::move(reason)}); }

  plan finish(launch_plan l) {
    if (sums_over_rows(c_)) {
      l.blocks_per_unit = std::max(1, threads_that_sum / l.threads);
      need_slabs(c_, l.rows_per_block, &plan_);
      plan_.launches.push_back(std::move(l));
      l = total_launch(c_, mechanism::totals);
      l.threads = std::min(total_threads, t_.max_threads);
      l.rows_per_block = total_columns;
      l.barriers = c_.width > 1 ? 1 : 0;  // of one column a compiler may know better
      l.constants.push_back({"threads", fmt::format("{}", l.threads)});
      why("sums over rows: every team leaves its own in the workspace, a second launch adds them up");
    }
    plan_.launches.push_back(std::move(l));
    return std::move(plan_);
  }

  launch_plan start(mechanism how, int pack, bool window) const {
    launch_plan l = start_launch(c_, how);
    for (int k = 0; k < c_.operand_count; ++k) {
      const operand_facts& o = c_.operands[k];
      const int size = static_cast<int>(size_of(o.dtype));
      // Behind a window's phase only those operands that share it have aligned packs.
      const int in_window = o.has(operand_full) ? std::min(pack * size, widest_access) : size;
      l.access[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(window ? in_window : access_bytes(c_, k, pack));
    }
    return l;
  }

  // Held by lanes of a wave, by a block, or streamed: whatever holds the row with few registers.
  launch_plan by_size(const packing& p) {
    const int share = held_values(c_);  // of a thread's registers, among the values it holds
    const std::int64_t held_by_wave = static_cast<std::int64_t>(t_.wave) * std::max(packs_held_by_a_lane / share, 1);
    if (p.packs <= held_by_wave) return lanes(p);
    const std::optional<clustering> together =
        sums_over_rows(c_) || c_.asks_for(ask_batch_invariant) ? std::nullopt : cluster(c_, t_, p.packs);
    if (together && c_.has(fact_few)) return in_cluster(p, *together);
    reject("lanes", fmt::format("{} packs a row, a wave holds {}", p.packs, held_by_wave));
    const int threads = std::min(most_block_threads, t_.max_threads);
    const bool limited = !reads_one_tensor(c_);  // a causal limit takes registers, too
    const bool sums_on_hip = t_.vendor == device_kind::hip && sums_over_rows(c_);
    const int least_share = !limited ? 1 : sums_on_hip ? packs_held_by_a_thread : 2;
    // Two tensors of 16 bits take no more registers than one of 32, as far as the compilers of newer chips can tell.
    const bool two_narrow = t_.largest_cluster > 1 && !sums_over_rows(c_) && share == 2 &&
                            describe(c_.op).held_floats == 2 && widest_element(c_) < 4;
    const std::int64_t held_by_block =
        static_cast<std::int64_t>(threads) *
        (two_narrow ? packs_held_by_a_thread : std::max(packs_held_by_a_thread / std::max(share, least_share), 1));
    // Elements fetched one by one cost AMD's kernels so many registers that a held row would spill.
    const bool one_by_one = !all_contiguous(c_) || c_.asks_for(ask_batch_invariant);
    const bool spills = t_.vendor == device_kind::hip && one_by_one;
    if (p.packs <= held_by_block && !spills) return block(p);
    if (together) return in_cluster(p, *together);
    reject("block", fmt::format("{} packs a row, a block of {} threads holds {}", p.packs, threads, held_by_block));
    if (can_stream_in_a_cluster()) return streamed_in_cluster(p);
    return streamed(p);
  }

  // Packs a thread; sums over rows stay in registers beside them.
  int aimed_at() const { return sums_over_rows(c_) ? 1 : packs_a_thread; }
  int aimed_at_in_a_block() const {
    if (t_.vendor == device_kind::hip || sums_over_rows(c_) || widest_element(c_) == 4) return aimed_at();
    return std::max(aimed_at(), describe(c_.op).packs_a_thread);
  }

  // About as many threads as are wanted, of whole waves, so that fewest packs of theirs are behind the row's end: 320 hold
  // 640 packs in two each, 256 only in three. Of windows as many a thread as the wanted threads hold: those in the middle
  // are sure to be inside the row.
  int fitting_threads(const packing& p, int wanted, int least) const {
    const std::int64_t most_packs = ceil_div(p.packs, wanted);
    int best = wanted;
    std::int64_t room = most_packs * wanted;
    for (std::int64_t n = p.window ? most_packs : std::max<std::int64_t>(most_packs - 1, 1); n <= most_packs; ++n) {
      const std::int64_t threads = ceil_div(ceil_div(p.packs, n), t_.wave) * t_.wave;
      if (threads < least || threads > most_block_threads || n * threads >= room) continue;
      best = static_cast<int>(threads), room = n * threads;
    }
    return best;
  }

  // Masks and biases that move along some outer axes only.
  std::uint16_t repeating_operands() const {
    if (c_.outer_rank < 2 || sums_over_rows(c_)) return 0;
    std::uint16_t which = 0;
    for (int k = 0; k < c_.operand_count; ++k) {
      const operand_facts& o = c_.operands[k];
      const bool moves = !o.has(operand_shared) && !o.has(operand_full) && !o.has(operand_virtual);
      if (moves && !o.has(operand_output) && o.inner != inner::broadcast) which |= static_cast<std::uint16_t>(1u << k);
    }
    return which;
  }

  launch_plan lanes(const packing& p) {
    const int lanes = std::min(t_.wave, power_of_two_from(ceil_div(p.packs, aimed_at())));
    launch_plan l = start(mechanism::lanes, p.pack, p.window);
    l.repeating = repeating_operands();
    if (l.repeating != 0) l.blocks_per_unit = blocks_over_periods;
    l.threads = threads_of_lanes;
    l.rows_per_block = threads_of_lanes / lanes;
    l.constants = {{"width", fmt::format("{}", c_.width)},  {"pack", fmt::format("{}", p.pack)},
                   {"lanes", fmt::format("{}", lanes)},     {"threads", fmt::format("{}", l.threads)},
                   {"window", p.window ? "true" : "false"}, {"keep", "keep::values"}};
    why(fmt::format("{} lanes hold a row of {} packs, {} rows a block", lanes, p.packs, l.rows_per_block));
    return promise(std::move(l), p, 0);
  }

  launch_plan block(const packing& p) {
    const int least = std::max(least_block_threads, 2 * t_.wave);
    const int wanted = std::clamp(power_of_two_from(ceil_div(p.packs, aimed_at_in_a_block())), least, most_block_threads);
    const int threads = fitting_threads(p, wanted, least);
    // Where many wait for each other, they do so once a row rather than keep what they have computed.
    const bool crowd = threads == most_block_threads && widest_element(c_) < 4 && t_.vendor != device_kind::hip;
    const bool storage = narrowest_element(c_) < 4 && ceil_div(p.packs, threads) > (crowd ? 1 : aimed_at());
    launch_plan l = start(mechanism::block, p.pack, p.window);
    l.threads = threads;
    l.constants = {{"width", fmt::format("{}", c_.width)},
                   {"pack", fmt::format("{}", p.pack)},
                   {"threads", fmt::format("{}", threads)},
                   {"window", p.window ? "true" : "false"},
                   {"keep", storage ? "keep::storage" : "keep::values"}};
    why(fmt::format("a block of {} threads holds a row of {} packs", threads, p.packs));
    if (storage) why("the row is kept in its storage dtype and exponentials are computed twice: registers");
    l = promise(std::move(l), p, 1);
    // Two tensors side by side may spill some words, and were measured to be faster so than in a cluster that does not.
    if (ceil_div(p.packs, threads) * held_values(c_) > packs_held_by_a_thread) l.register_budget = 0;
    return l;
  }

  launch_plan in_cluster(const packing& p, const clustering& g) {
    launch_plan l = start(mechanism::cluster, p.pack, p.window);
    l.threads = g.threads;
    l.cluster = g.blocks;
    l.resident_blocks = g.resident_blocks;
    l.constants = {{"width", fmt::format("{}", c_.width)},
                   {"pack", fmt::format("{}", p.pack)},
                   {"threads", fmt::format("{}", g.threads)},
                   {"blocks", fmt::format("{}", g.blocks)},
                   {"window", p.window ? "true" : "false"},
                   {"keep", narrowest_element(c_) < 4 ? "keep::storage" : "keep::values"}};
    why(fmt::format("a cluster of {} blocks of {} threads holds a row of {} packs{}", g.blocks, g.threads, p.packs,
                    c_.has(fact_few) ? ": few rows leave a card idle otherwise" : ""));
    return promise(std::move(l), p, 1);
  }

  // The packs of several tensors that are under way together take registers: sooner with AMD's compilers, and where
  // ragged ends are read element by element.
  int parts_of_a_pack(bool window) const {
    const int held = held_values(c_);
    const bool alone = reads_one_tensor(c_) && full_inputs() <= 1 && !has_columns();
    if (t_.vendor == device_kind::hip) {
      if (sums_over_rows(c_) || (window && full_inputs() > 1)) return 4;
      return alone ? 1 : held > 2 ? 4 : 2;
    }
    if (full_inputs() > 1) return 4;
    const bool limited = t_.largest_cluster < 2 && !reads_one_tensor(c_);  // older chips' compilers spill sooner
    return (held > 1 ? 2 : 1) * (limited ? 2 : 1);
  }

  bool can_stream_in_a_cluster() const {
    return is_huge() && !c_.asks_for(ask_batch_invariant) && t_.largest_cluster >= most_streaming_blocks && all_contiguous(c_) && c_.width <= INT32_MAX / 2 &&
           reads_one_tensor(c_) && full_inputs() <= 1 && !has_columns() && describe(c_.op).lean && !sums_over_rows(c_);
  }
  bool is_huge() const {
    return c_.width * static_cast<std::int64_t>(size_of(c_.operands[0].dtype)) > huge_row;
  }

  launch_plan streamed_in_cluster(const packing& p) {
    launch_plan l = start(mechanism::cluster, p.pack, p.window);
    l.driver = "cluster_streamed";
    l.threads = streamed_threads;
    l.cluster = std::clamp(power_of_two_from(p.packs / (streamed_threads * packs_streamed)), 2, most_streaming_blocks);
    l.resident_blocks = 2;
    l.constants = {{"width", fmt::format("{}", c_.width)},
                   {"pack", fmt::format("{}", p.pack)},
                   {"threads", fmt::format("{}", l.threads)},
                   {"blocks", fmt::format("{}", l.cluster)},
                   {"window", p.window ? "true" : "false"},
                   {"kept", fmt::format("{}", kept_packs)}};
    why(fmt::format("a cluster of {} blocks passes over the row twice: so few rows are under way that the L2 has them the "
                    "second time",
                    l.cluster));
    return promise(std::move(l), p, 1);
  }

  launch_plan streamed(packing p) {
    if (const int parts = parts_of_a_pack(p.window); parts != 1) {
      p.pack = std::max(p.pack / parts, 1);
      why(fmt::format("packs of {}: registers for the masks and for several tensors", p.pack));
    }
    // Bounding registers, and spending them on kept packs, was measured on NVIDIA's larger chips only.
    const bool tuned = t_.vendor != device_kind::hip && t_.unit_threads >= 2048 && describe(c_.op).lean;
    const bool huge = is_huge();
    launch_plan l = start(mechanism::streamed, p.pack, p.window);
    l.threads = std::min(huge && tuned && reads_one_tensor(c_) ? streamed_threads_of_huge : streamed_threads, t_.max_threads);
    // Masks, weights and a second tensor want the registers themselves.
    const bool bounded = !huge && tuned && reads_one_tensor(c_) && full_inputs() <= 1 && !has_columns();
    if (bounded) l.resident_blocks = 2;
    const int kept = !bounded || narrowest_element(c_) == 4 ? 0 : p.window ? kept_packs_windowed : kept_packs;
    l.constants = {{"width", fmt::format("{}", c_.width)},
                   {"pack", fmt::format("{}", p.pack)},
                   {"threads", fmt::format("{}", l.threads)},
                   {"window", p.window ? "true" : "false"},
                   {"kept", fmt::format("{}", kept)}};
    why("the row is read twice: once for maximum and sum, once for the result");
    if (kept != 0) why(fmt::format("{} packs a thread stay in registers between the passes", kept));
    return promise(std::move(l), p, 1);
  }

  // Neighbouring rows to neighbouring threads: an access of a wave is one piece of memory.
  plan columns() {
    why("rows are neighbours in memory: neighbouring threads own neighbouring rows");
    const bool hip = t_.vendor == device_kind::hip;
    const int held = (hip ? column_elements_held_hip : column_elements_held) / describe(c_.op).held_floats;
    const column_block b = column_block_of(c_.width, t_.wave, std::max(held, 1));
    if (can_split() && c_.width >= split_columns_from) return split_columns(b);
    launch_plan l = start(mechanism::columns, 1, false);
    l.threads = b.threads();
    l.rows_per_block = b.span;
    l.constants = {{"width", fmt::format("{}", c_.width)},
                   {"span", fmt::format("{}", b.span)},
                   {"members", fmt::format("{}", b.members)},
                   {"held", b.held ? "true" : "false"}};
    l.barriers = b.members > 1 && !describe(c_.op).moves_only ? 1 : 0;
    why(fmt::format("{} threads share a row, {}", b.members, b.held ? "in registers" : "which they pass over twice"));
    return finish(std::move(l));
  }

  bool can_split() const { return describe(c_.op).part_floats != 0 && !c_.pre && !c_.post; }

  struct cut {
    std::int64_t width;
    int parts;
  };
  cut cut_of(std::int64_t part, int pack) const {
    const std::int64_t wanted = std::clamp<std::int64_t>(ceil_div(c_.width, part), 1, most_parts);
    const std::int64_t width = ceil_div(ceil_div(c_.width, wanted), pack) * pack;
    return {width, static_cast<int>(ceil_div(c_.width, width))};
  }

  // Parts of a row to blocks of their own.
  plan split(int pack) {
    const cut at = cut_of(split_part, pack);
    launch_plan l = start(mechanism::split, pack, false);
    l.driver = "split_parts";
    l.threads = std::min(streamed_threads, t_.max_threads);
    l.constants = {{"width", fmt::format("{}", c_.width)},     {"part_width", fmt::format("{}", at.width)},
                   {"parts", fmt::format("{}", at.parts)},     {"pack", fmt::format("{}", pack)},
                   {"threads", fmt::format("{}", l.threads)}};
    return finish_split(std::move(l), at);
  }

  plan split_columns(const column_block& b) {
    const cut at = cut_of(split_columns_part, 1);
    launch_plan l = start(mechanism::split, 1, false);
    l.driver = "split_columns";
    l.threads = b.threads();
    l.rows_per_block = b.span;
    l.constants = {{"width", fmt::format("{}", c_.width)},   {"part_width", fmt::format("{}", at.width)},
                   {"parts", fmt::format("{}", at.parts)},   {"span", fmt::format("{}", b.span)},
                   {"members", fmt::format("{}", b.members)}};
    return finish_split(std::move(l), at);
  }

  plan finish_split(launch_plan parts, const cut& at) {
    constexpr int threads = 128;
    parts.parts = at.parts;
    parts.entry += "_parts";
    parts.barriers = 1;
    launch_plan whole = start(mechanism::split, 1, false);
    whole.driver = "split_whole";
    whole.entry += "_whole";
    whole.threads = threads;
    whole.rows_per_block = threads / t_.wave;
    whole.constants = {{"parts", fmt::format("{}", at.parts)}, {"threads", fmt::format("{}", threads)}};
    plan_.workspace_per_row = static_cast<std::size_t>(at.parts * describe(c_.op).part_floats) * sizeof(float);
    why(fmt::format("a row is cut into {} parts of {} elements; a second launch merges them in order", at.parts, at.width));
    plan_.launches.push_back(std::move(parts));
    return finish(std::move(whole));
  }

  std::ptrdiff_t full_inputs() const {
    const auto all = operands_of(c_);
    return std::count_if(all.begin(), all.end(), [&](const operand_facts& o) {
      return is_of_full_shape(c_, o) && !o.has(operand_output);
    });
  }
  bool has_columns() const {
    const auto all = operands_of(c_);
    return std::any_of(all.begin(), all.end(), [&](const operand_facts& o) {
      return find_spec(describe(c_.op), o.what)->extent == reach::per_column;
    });
  }

  // Tiles of whole rows through shared memory. Rows lie end to end, so that a tile is one contiguous piece at any
  // width.
  std::optional<launch_plan> staged() {
    if (!c_.operands[0].has(operand_full)) return reject("staged", "the first operand repeats"), std::nullopt;
    if (!c_.has(fact_dense)) return reject("staged", "rows do not follow each other in every operand"), std::nullopt;
    if (c_.width > widest_staged) {
      return reject("staged", fmt::format("a row has {} elements, at most {} are staged", c_.width, widest_staged)),
             std::nullopt;
    }
    const std::optional<staging> g = stage(c_, t_);
    if (!g) return reject("staged", "a tile does not fit shared memory"), std::nullopt;
    launch_plan l = start(mechanism::staged, 1, false);
    l.threads = g->threads;
    l.rows_per_block = g->tile_rows;
    l.dynamic_shared = g->shared_bytes;
    l.blocks_per_unit = g->blocks_per_unit;
    l.constants = {{"width", fmt::format("{}", c_.width)},         {"lanes", fmt::format("{}", g->lanes)},
                   {"tile_rows", fmt::format("{}", g->tile_rows)}, {"threads", fmt::format("{}", g->threads)},
                   {"stages", fmt::format("{}", g->stages)},       {"bulk", t_.bulk_copy ? "true" : "false"}};
    l.barriers = 1;
    why(fmt::format(
        "rows are no multiple of 16 bytes: tiles of {} rows are contiguous and travel through shared memory{}",
        g->tile_rows, t_.bulk_copy ? " by bulk copies" : ""));
    return l;
  }

  launch_plan promise(launch_plan l, const packing& p, int barriers) const {
    l.barriers = describe(c_.op).moves_only ? 0 : barriers;
    l.wide_access =
        all_contiguous(c_) && p.pack * narrowest_element(c_) == widest_access && full_operands_have(l, widest_access);
    if (t_.unit_registers != 0)
      l.register_budget = std::min(t_.registers, t_.unit_registers / std::max(l.threads, 512));
    if (l.resident_blocks != 0)
      l.register_budget = std::min(l.register_budget, t_.unit_registers / l.threads / l.resident_blocks);
    return l;
  }

  bool full_operands_have(const launch_plan& l, int bytes) const {
    for (std::size_t k = 0; k < c_.operand_count; ++k) {
      if (c_.operands[k].has(operand_full) && l.access[k] != bytes) return false;
    }
    return true;
  }

  const shape_class& c_;
  const traits& t_;
  plan plan_;
};

}  // namespace

result<plan> plan_for_gpu(const shape_class& c, const traits& t) {
  if (describe(c.op).by_table) return plan_chains(c, t);
  return planner(c, t).make();
}

}  // namespace rowsmith
