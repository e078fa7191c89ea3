#include "plan/elementwise.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/layout.h"

namespace rowsmith {

namespace {

constexpr int flat_threads = 128;
constexpr int bytes_under_way = 64;  // that a thread aims to load before it uses the first
constexpr int most_packs = 4;        // of a thread
constexpr int widest_pack = 32;      // bytes of the widest operand, where the narrowest moves 16
constexpr int scalar_packs = 8;      // of one element, where nothing lies side by side
constexpr int crossed_threads = 256;
constexpr int crossed_blocks = 4;                  // of a multiprocessor: one reads while others write
constexpr std::int64_t chunk_elements = 64 << 10;  // of a task on the host

int bytes_of(const operand_facts& o) { return static_cast<int>(size_of(o.dtype)); }

// Results and the inputs that move as they do: what the time goes into. (An input of one byte is no full operand.)
bool counts(const operand_facts& o) { return o.has(operand_output) || o.has(operand_full); }

bool all_side_by_side(const shape_class& c) {
  const auto all = operands_of(c);
  return std::all_of(all.begin(), all.end(),
                     [](const operand_facts& o) { return !counts(o) || o.inner == inner::contiguous; });
}

bool all_aligned(const shape_class& c) {
  const auto all = operands_of(c);
  return std::all_of(all.begin(), all.end(),
                     [](const operand_facts& o) { return !counts(o) || o.align == widest_access; });
}

int first_output(const shape_class& c) {
  int k = 0;
  while (!c.operands[k].has(operand_output)) ++k;
  return k;
}

class flat_planner {
 public:
  flat_planner(const shape_class& c, const traits& t) : c_(c), t_(t) { plan_.op = c.op; }

  plan make() {
    launch_plan l = start_launch(c_, mechanism::flat);
    l.items = work::elements;
    l.threads = flat_threads;
    choose_pack();
    choose_lead();
    choose_accesses(&l);
    const int packs = packs_of_a_thread();
    l.rows_per_block = pack_ * packs * l.threads;
    l.constants = {
        {"pack", fmt::format("{}", pack_)},        {"unroll", fmt::format("{}", packs)},
        {"threads", fmt::format("{}", l.threads)}, {"one_row", c_.has(fact_one_row) ? "true" : "false"},
        {"window", window_ ? "true" : "false"},    {"margin", l.shifted != 0 ? "1" : "0"},
        {"lead", fmt::format("{}", lead_)},        {"lead_bytes", fmt::format("{}", bytes_of(c_.operands[lead_]))}};
    if (t_.unit_registers != 0) l.register_budget = std::min(t_.registers, t_.unit_registers / 512);
    why(fmt::format("{} packs of {} elements a thread, loaded before the first is used", packs, pack_));
    plan_.launches.push_back(std::move(l));
    return std::move(plan_);
  }

 private:
  void why(std::string sentence) { plan_.why.push_back(std::move(sentence)); }

  // A pack fills an access of the narrowest element, unless the widest would be too many registers; on AMD of the
  // widest (see plan_for_gpu).
  void choose_pack() {
    int narrowest = 8, widest = 1;
    for (const operand_facts& o : operands_of(c_)) {
      if (!counts(o)) continue;
      narrowest = std::min(narrowest, bytes_of(o));
      widest = std::max(widest, bytes_of(o));
    }
    pack_ = t_.vendor == device_kind::hip ? widest_access / widest
                                          : std::min(widest_access / narrowest, widest_pack / widest);
    if (!all_side_by_side(c_)) {
      pack_ = 1;
      why("elements one by one: an operand's do not lie side by side along the fastest axis of the result");
    }
  }

  // The operand whose 16-byte boundaries the packs follow.
  void choose_lead() {
    lead_ = first_output(c_);
    if (pack_ == 1 || all_aligned(c_)) return;
    if (c_.has(fact_same_phase)) {  // which the first full operand tells
      window_ = true;
      for (lead_ = 0; !c_.operands[lead_].has(operand_full);) ++lead_;
      why("rows start at any element, in all operands at the same: packs follow 16-byte boundaries");
      return;
    }
    window_ = c_.operands[lead_].align != widest_access;
    why("rows start at any element: packs follow the result's 16-byte boundaries");
  }

  void choose_accesses(launch_plan* l) {
    bool wide = false;
    for (int k = 0; k < c_.operand_count; ++k) {
      const operand_facts& o = c_.operands[k];
      const int whole = std::min(pack_ * bytes_of(o), widest_access);
      int access = bytes_of(o);
      if (o.inner == inner::contiguous) {
        const bool in_step = k == lead_ || (c_.has(fact_same_phase) && o.has(operand_full));
        access = window_ ? (in_step ? whole : bytes_of(o)) : std::min(whole, static_cast<int>(o.align));
        if (access < whole && !o.has(operand_output)) l->shifted |= static_cast<std::uint16_t>(1u << k);
      }
      l->access[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(access);
      wide = wide || (counts(o) && !o.has(operand_output) && whole == widest_access && o.inner == inner::contiguous);
    }
    if (l->shifted != 0) why("operands of another phase are read by aligned words and shifted");
    l->wide_access = wide && l->access[static_cast<std::size_t>(first_output(c_))] == widest_access;
  }

  int packs_of_a_thread() const {
    if (c_.has(fact_few)) return 1;  // as many threads as there can be
    if (pack_ == 1) return scalar_packs;
    int bytes = 0;
    for (const operand_facts& o : operands_of(c_)) {
      if (counts(o) && !o.has(operand_output)) bytes += pack_ * bytes_of(o);
    }
    const int packs = std::clamp(bytes_under_way / std::max(bytes, widest_access), 1, most_packs);
    return packs == 3 ? 2 : packs;
  }

  const shape_class& c_;
  const traits& t_;
  plan plan_;
  int pack_ = 1;
  int lead_ = 0;
  bool window_ = false;
};

// A copy whose lines lie along another axis than its rows.
bool can_cross(const shape_class& c) {
  return c.op == op_id::copy && c.has(fact_crossed) && c.operands[1].inner == inner::contiguous;
}

plan plan_crossed(const shape_class& c, const traits& t) {
  launch_plan l = start_launch(c, mechanism::crossed);
  const operand_facts &x = c.operands[0], &y = c.operands[1];
  const int tile = std::max(bytes_of(x), bytes_of(y)) > 4 ? 32 : 64;
  const auto pack = [](const operand_facts& o) { return o.align == widest_access ? widest_access / bytes_of(o) : 1; };
  l.items = work::elements;
  l.threads = crossed_threads;
  l.rows_per_block = tile * tile;
  l.barriers = 2;
  // Single elements need more addresses than bounded registers hold.
  if (t.vendor != device_kind::hip && (pack(x) > 1 || pack(y) > 1)) l.resident_blocks = crossed_blocks;
  l.access[0] = static_cast<std::uint8_t>(pack(x) * bytes_of(x));
  l.access[1] = static_cast<std::uint8_t>(pack(y) * bytes_of(y));
  l.wide_access = pack(x) != 1 && pack(y) != 1;
  l.constants = {{"tile", fmt::format("{}", tile)},
                 {"threads", fmt::format("{}", l.threads)},
                 {"x_pack", fmt::format("{}", pack(x))},
                 {"y_pack", fmt::format("{}", pack(y))}};
  plan p;
  p.op = c.op;
  p.why.push_back(
      fmt::format("x and y differ in their fastest axes: tiles of {0}×{0} are turned in shared memory", tile));
  p.launches.push_back(std::move(l));
  return p;
}

plan plan_on_host(const shape_class& c, const traits& t) {
  launch_plan l = start_launch(c, mechanism::simd_flat);
  for (int k = 0; k < c.operand_count; ++k) l.access[static_cast<std::size_t>(k)] = c.operands[k].align;
  l.items = work::elements;
  l.rows_per_block = chunk_elements;
  plan p;
  p.op = c.op;
  p.why.push_back(fmt::format("every element by itself, in packs of {} bytes of floats", t.vector_bytes));
  p.launches.push_back(std::move(l));
  return p;
}

}  // namespace

result<plan> plan_for_elements(const shape_class& c, const traits& t) {
  if (t.vendor == device_kind::host) return plan_on_host(c, t);
  if (can_cross(c)) return plan_crossed(c, t);
  return flat_planner(c, t).make();
}

}  // namespace rowsmith
