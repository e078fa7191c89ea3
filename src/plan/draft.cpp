#include "plan/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/op_table.h"
#include "plan/layout.h"

namespace rowsmith {

namespace {

// Not measured: sums over rows.
constexpr int threads_that_sum = 1024;  // a unit: more of them leave more to add up
constexpr int total_threads = 512;
constexpr int total_columns = 32;  // of a block: as kernel_src/row/totals.h has it

bool full_operands_have(const shape_class& c, const launch_plan& l, int bytes) {
  for (std::size_t k = 0; k < c.operand_count; ++k) {
    if (c.operands[k].has(operand_full) && l.access[k] != bytes) return false;
  }
  return true;
}

}  // namespace

launch_plan draft::start(mechanism how, int pack, bool window) const {
  launch_plan l = start_launch(c, how);
  for (int k = 0; k < c.operand_count; ++k) {
    const operand_facts& o = c.operands[k];
    const int size = static_cast<int>(size_of(o.dtype));
    // Behind a window's phase only those operands that share it have aligned packs.
    const int in_window = o.has(operand_full) ? std::min(pack * size, widest_access) : size;
    l.access[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(window ? in_window : access_bytes(c, k, pack));
  }
  return l;
}

launch_plan draft::promise(launch_plan l, const packing& p, int barriers) const {
  l.barriers = describe(c.op).moves_only ? 0 : barriers;
  l.wide_access =
      all_contiguous(c) && p.pack * narrowest_element(c) == widest_access && full_operands_have(c, l, widest_access);
  if (t.unit_registers != 0) {
    l.register_budget = std::min(t.registers, t.unit_registers / std::max(l.threads, 512));
  }
  if (l.resident_blocks != 0) {
    l.register_budget = std::min(l.register_budget, t.unit_registers / l.threads / l.resident_blocks);
  }
  return l;
}

plan draft::finish(launch_plan l) {
  if (sums_over_rows(c)) {
    l.blocks_per_unit = std::max(1, threads_that_sum / l.threads);
    need_slabs(c, l.rows_per_block, &made);
    add(std::move(l));
    l = total_launch(c, mechanism::totals);
    l.threads = std::min(total_threads, t.max_threads);
    l.rows_per_block = total_columns;
    l.barriers = c.width > 1 ? 1 : 0;  // of one column a compiler may know better
    l.constants.push_back({"threads", fmt::format("{}", l.threads)});
    why("sums over rows: every team leaves its own in the workspace, a second launch adds them up");
  }
  add(std::move(l));
  return std::move(made);
}

int draft::full_inputs() const noexcept {
  const auto all = operands_of(c);
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const operand_facts& o) {
    return is_of_full_shape(c, o) && !o.has(operand_output);
  }));
}

bool draft::has_columns() const noexcept {
  const auto all = operands_of(c);
  return std::any_of(all.begin(), all.end(), [&](const operand_facts& o) {
    return find_spec(describe(c.op), o.what)->extent == reach::per_column;
  });
}

}  // namespace rowsmith
