#include "plan/splitting.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/op_table.h"
#include "plan/layout.h"
#include "plan/streaming.h"

namespace rowsmith {

namespace {

// Figures that were found by measuring on an H200; see docs/tuning.md.
constexpr std::int64_t split_from = 256 << 10;  // elements of a row that is worth a second launch
constexpr std::int64_t split_part = 64 << 10;
constexpr std::int64_t split_columns_from = 8 << 10;
constexpr std::int64_t split_columns_part = 2 << 10;
constexpr std::int64_t most_parts = 256;
constexpr int merging_threads = 128;

struct cut {
  std::int64_t width;  // of a part
  int parts;
};

cut cut_of(std::int64_t width, std::int64_t part, int pack) {
  const std::int64_t wanted = std::clamp<std::int64_t>(ceil_div(width, part), 1, most_parts);
  const std::int64_t even = ceil_div(ceil_div(width, wanted), pack) * pack;
  return {even, static_cast<int>(ceil_div(width, even))};
}

bool parts_merge(const shape_class& c) { return describe(c.op).part_floats != 0 && !c.pre && !c.post; }

plan finish_split(draft& d, launch_plan parts, const cut& at) {
  parts.parts = at.parts;
  parts.entry += "_parts";
  parts.barriers = 1;
  launch_plan whole = d.start(mechanism::split, 1, false);
  whole.driver = "split_whole";
  whole.entry += "_whole";
  whole.threads = merging_threads;
  whole.rows_per_block = merging_threads / d.t.wave;
  whole.constants = {{"parts", fmt::format("{}", at.parts)}, {"threads", fmt::format("{}", merging_threads)}};
  d.made.workspace_per_row = static_cast<std::size_t>(at.parts * describe(d.c.op).part_floats) * sizeof(float);
  d.why(fmt::format("a row is cut into {} parts of {} elements; a second launch merges them in order", at.parts,
                    at.width));
  d.add(std::move(parts));
  return d.finish(std::move(whole));
}

}  // namespace

bool can_split(const shape_class& c) { return parts_merge(c) && c.width >= split_from; }
bool can_split_columns(const shape_class& c) { return parts_merge(c) && c.width >= split_columns_from; }

plan split(draft& d, int pack) {
  const cut at = cut_of(d.c.width, split_part, pack);
  launch_plan l = d.start(mechanism::split, pack, false);
  l.driver = "split_parts";
  l.threads = std::min(streamed_threads, d.t.max_threads);
  l.constants = {{"width", fmt::format("{}", d.c.width)},
                 {"part_width", fmt::format("{}", at.width)},
                 {"parts", fmt::format("{}", at.parts)},
                 {"pack", fmt::format("{}", pack)},
                 {"threads", fmt::format("{}", l.threads)}};
  return finish_split(d, std::move(l), at);
}

plan split_columns(draft& d, const column_block& b) {
  const cut at = cut_of(d.c.width, split_columns_part, 1);
  launch_plan l = d.start(mechanism::split, 1, false);
  l.driver = "split_columns";
  l.threads = b.threads();
  l.rows_per_block = b.span;
  l.constants = {{"width", fmt::format("{}", d.c.width)},
                 {"part_width", fmt::format("{}", at.width)},
                 {"parts", fmt::format("{}", at.parts)},
                 {"span", fmt::format("{}", b.span)},
                 {"members", fmt::format("{}", b.members)}};
  return finish_split(d, std::move(l), at);
}

}  // namespace rowsmith
