// clustering: rows that several blocks hold together (clusters, sm_90+).
#pragma once

#include <cstdint>
#include <optional>

#include "model/facts.h"
#include "model/traits.h"

namespace rowsmith {

struct clustering {
  int blocks = 1;  // of a cluster
  int threads = 1;
  int resident_blocks = 0;
};

// For rows of `packs` packs. Nothing where clusters cannot hold the row, or where a block that passes
// over it twice was measured to be as fast.
std::optional<clustering> cluster(const shape_class& c, const traits& t, std::int64_t packs);

}  // namespace rowsmith
