#include "plan/host.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/any_width.h"
#include "model/op_table.h"
#include "plan/chains.h"
#include "plan/columns.h"
#include "plan/layout.h"

namespace rowsmith {

namespace {

constexpr std::int64_t widest_row = 0x7fffff00;  // its elements are counted in 32 bits
constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t largest_scratch = 64
                                         << 10;  // bytes of fp32 scratch row that still pays (fits L2 beside the row)
constexpr std::int64_t chunk_bytes = 256 << 10;  // what a task works on: well above a task's cost, below a cache

constexpr int chunks_that_sum = 4;  // a core, of rows whose sums are kept apart
constexpr int total_columns = 256;  // of a task that adds such sums up

bool all_access_wide(const shape_class& c) {
  const auto all = operands_of(c);
  return std::all_of(all.begin(), all.end(),
                     [](const operand_facts& o) { return !o.has(operand_full) || o.align == widest_access; });
}

// `l`, and where it sums over rows the launch that adds the sums up.
void finish(const shape_class& c, launch_plan l, plan* p) {
  if (sums_over_rows(c)) {
    l.constants.push_back({"rows_per_block", fmt::format("{}", l.rows_per_block)});
    l.blocks_per_unit = chunks_that_sum;
    need_slabs(c, 1, p);
    p->launches.push_back(std::move(l));
    l = total_launch(c, mechanism::simd_totals);
    l.rows_per_block = total_columns;
    p->why.push_back("sums over rows: each chunk of rows leaves its own, a second launch adds them up");
  }
  p->launches.push_back(std::move(l));
}

int rows_of_a_chunk(std::int64_t row_bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(chunk_bytes / std::max<std::int64_t>(row_bytes, 1), 1, 4096));
}

// The width is a number of the call.
plan plan_any_width(const shape_class& c, const traits& t) {
  plan p;
  p.op = c.op;
  const bool kept = c.width * static_cast<std::int64_t>(sizeof(float)) <= largest_scratch;
  const bool narrow = c.width <= width_buckets[0];
  launch_plan l = start_launch(c, mechanism::simd_any);
  l.constants = {{"capacity", fmt::format("{}", kept ? c.width : 0)},
                 {"narrow", narrow ? "true" : "false"},
                 {"keep", kept ? "keep::values" : "keep::storage"}};
  for (int k = 0; k < c.operand_count; ++k) l.access[static_cast<std::size_t>(k)] = c.operands[k].align;
  l.rows_per_block = rows_of_a_chunk(c.width * widest_element(c));
  p.why.push_back(fmt::format("a kernel for all widths of a bucket, up to {}: the call tells it its own", c.width));
  p.why.push_back(fmt::format("a thread owns a row; packs of {} bytes", t.vector_bytes));
  p.why.push_back(kept ? "exponentials stay in a scratch row" : "the row is read again");
  finish(c, std::move(l), &p);
  return p;
}

}  // namespace

result<plan> plan_for_host(const shape_class& c, const traits& t) {
  if (c.width > widest_row) {
    return status(code::unsupported,
                  fmt::format("host rows have at most {} elements, this one has {}", widest_row, c.width));
  }
  if (describe(c.op).by_table) return plan_chains(c, t);
  if (c.asks_for(ask_any_width)) return plan_any_width(c, t);
  plan p;
  p.op = c.op;
  const bool sixteen_bit = narrowest_element(c) < 4;
  const std::int64_t scratch = c.width * static_cast<std::int64_t>(sizeof(float));
  // Past the scratch that fits beside the row in L2, reading a 32-bit row again beats keeping its exponentials; a
  // 16-bit row would be converted again, which costs more than the scratch's traffic.
  const bool replay = !sixteen_bit && scratch > largest_scratch;
  const std::int64_t row_bytes = c.width * widest_element(c);
  const bool whole_lines =
      !sixteen_bit && all_contiguous(c) && row_bytes % line_bytes == 0 && c.width >= 512 && all_access_wide(c);

  // Sums over rows are kept by who walks along a row.
  const bool turns = c.has(fact_side_by_side) && !sums_over_rows(c);
  if (const int rows = turns ? turned_rows_of(c) : 0; rows != 0) {
    launch_plan l = start_launch(c, mechanism::simd_columns);
    l.constants = {{"width", fmt::format("{}", c.width)},
                   {"keep", replay ? "keep::storage" : "keep::values"},
                   {"rows", fmt::format("{}", rows)}};
    l.rows_per_block = static_cast<int>(
        std::clamp<std::int64_t>(chunk_bytes / std::max<std::int64_t>(row_bytes, 1) / rows, 1, 64) * rows);
    p.why.push_back(fmt::format("rows are neighbours in memory: {} of them at once are turned in the cache", rows));
    p.launches.push_back(std::move(l));
    return p;
  }

  launch_plan l = start_launch(c, replay ? mechanism::simd_replay : mechanism::simd);
  l.constants = {{"width", fmt::format("{}", c.width)},
                 {"keep", replay ? "keep::storage" : "keep::values"},
                 {"stream_stores", whole_lines ? "true" : "false"}};
  for (int k = 0; k < c.operand_count; ++k) l.access[static_cast<std::size_t>(k)] = c.operands[k].align;
  l.rows_per_block = rows_of_a_chunk(row_bytes);

  p.why.push_back(fmt::format("a thread owns a row; packs of {} bytes", t.vector_bytes));
  if (replay) {
    p.why.push_back(fmt::format("the row is read again: {} bytes of fp32 would not stay in L2", scratch));
    p.rejected.push_back({"scratch row", fmt::format("{} bytes, at most {} pay", scratch, largest_scratch)});
  } else {
    p.why.push_back("exponentials stay in a scratch row");
  }
  if (whole_lines) p.why.push_back("non-temporal stores: 32-bit rows of whole cache lines");
  finish(c, std::move(l), &p);
  return p;
}

}  // namespace rowsmith
