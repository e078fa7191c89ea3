#include "plan/host.h"

#include <fmt/format.h>

#include <algorithm>

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

bool all_access_wide(const shape_class& c) {
  const auto all = operands_of(c);
  return std::all_of(all.begin(), all.end(),
                     [](const operand_facts& o) { return !o.has(operand_full) || o.align == widest_access; });
}

}  // namespace

result<plan> plan_for_host(const shape_class& c, const traits& t) {
  if (c.width > widest_row) {
    return status(code::unsupported,
                  fmt::format("host rows have at most {} elements, this one has {}", widest_row, c.width));
  }
  if (describe(c.op).by_table) return plan_chains(c, t);
  plan p;
  p.op = c.op;
  const bool sixteen_bit = narrowest_element(c) < 4;
  const std::int64_t scratch = c.width * static_cast<std::int64_t>(sizeof(float));
  // Past the scratch that fits beside the row in L2, reading a 32-bit row again beats keeping its exponentials; a
  // 16-bit row would be converted again, which costs more than the scratch's traffic.
  const bool replay = !sixteen_bit && scratch > largest_scratch;
  const std::int64_t row_bytes = c.width * widest_element(c);
  const bool whole_lines = !sixteen_bit && all_contiguous(c) && row_bytes % line_bytes == 0 && c.width >= 512 &&
                           all_access_wide(c);

  if (const int rows = c.has(fact_side_by_side) ? turned_rows_of(c) : 0; rows != 0) {
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
  l.rows_per_block =
      static_cast<int>(std::clamp<std::int64_t>(chunk_bytes / std::max<std::int64_t>(row_bytes, 1), 1, 4096));

  p.why.push_back(fmt::format("a thread owns a row; packs of {} bytes", t.vector_bytes));
  if (replay) {
    p.why.push_back(fmt::format("the row is read again: {} bytes of fp32 would not stay in L2", scratch));
    p.rejected.push_back({"scratch row", fmt::format("{} bytes, at most {} pay", scratch, largest_scratch)});
  } else {
    p.why.push_back("exponentials stay in a scratch row");
  }
  if (whole_lines) p.why.push_back("non-temporal stores: 32-bit rows of whole cache lines");
  p.launches.push_back(std::move(l));
  return p;
}

}  // namespace rowsmith
