// staging: the geometry of tiles that travel through shared memory.
#pragma once

#include <cstdint>
#include <optional>

#include "model/facts.h"
#include "model/traits.h"

namespace rowsmith {

struct staging {
  int lanes = 1;  // that share a row
  int tile_rows = 1;
  int threads = 1;
  int stages = 1;  // tiles under way, with bulk copies
  int shared_bytes = 0;
  int blocks_per_unit = 1;
};

// Rows wider than this many elements are not staged: windows of packs serve them better.
constexpr std::int64_t widest_staged = 1024;

// Nothing when a tile does not fit. REQUIRES: dense operands, width <= widest_staged.
std::optional<staging> stage(const shape_class& c, const traits& t);

}  // namespace rowsmith
