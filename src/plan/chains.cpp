#include "plan/chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "plan/layout.h"

namespace rowsmith {

namespace {

constexpr int threads = 256;
constexpr int packs_a_thread = 3;

// The widest pack that width, runs, bases and strides of the rows allow.
int pack_of(const shape_class& c) {
  if (c.asks_for(ask_any_width)) return 1;
  int pack = pack_that_divides(c, widest_access / widest_element(c));
  const auto all = operands_of(c);
  const auto narrower = [&](int k) {
    const operand_facts& o = all[static_cast<std::size_t>(k)];
    const int bytes = pack * static_cast<int>(size_of(o.dtype));
    return o.has(operand_full) && o.inner == inner::contiguous && access_bytes(c, k, pack) < bytes;
  };
  while (pack > 1 && (narrower(0) || narrower(1))) pack /= 2;
  return pack;
}

launch_plan start(const shape_class& c, mechanism how, int pack) {
  launch_plan l = start_launch(c, how);
  for (int k = 0; k < c.operand_count; ++k) {
    l.access[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(access_bytes(c, k, pack));
  }
  return l;
}

}  // namespace

plan plan_chains(const shape_class& c, const traits& t) {
  plan p;
  p.op = c.op;
  p.workspace_per_row = p.workspace_per_table_row = sizeof(std::int64_t);
  if (t.vendor == device_kind::host) {
    launch_plan l = start(c, mechanism::simd_chained, 1);
    l.items = work::table_rows;
    l.rows_per_block = chained_rows_a_task;
    l.constants = {{"width", width_text(c)}};
    p.why.push_back("a thread threads the rows of its part of the table on lists, and adds them up in order");
    p.launches.push_back(std::move(l));
    return p;
  }
  const int pack = pack_of(c);
  const auto wanted = static_cast<std::uint64_t>(ceil_div(c.width, std::int64_t{pack} * packs_a_thread));
  const int lanes = static_cast<int>(std::min<std::uint64_t>(std::bit_ceil(wanted), threads));
  for (const char* step : {"clear", "link", "sum"}) {
    const bool sums = step[0] == 's';
    launch_plan l = start(c, mechanism::chained, pack);
    l.entry += fmt::format("_{}", step);
    l.items = step[0] == 'l' ? work::rows : work::table_rows;
    l.threads = threads;
    l.rows_per_block = sums ? threads / lanes : threads;
    l.constants = {{"step", fmt::format("chain_step::{}", step)},
                   {"width", width_text(c)},
                   {"pack", fmt::format("{}", pack)},
                   {"lanes", fmt::format("{}", lanes)},
                   {"threads", fmt::format("{}", threads)}};
    p.launches.push_back(std::move(l));
  }
  p.why.push_back("lists of the rows of one number; whoever owns a row of the table sorts its list and adds");
  p.why.push_back(fmt::format("{} lanes a row of the table, packs of {}", lanes, pack));
  return p;
}

}  // namespace rowsmith
