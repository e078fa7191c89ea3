// held: rows that registers hold: of lanes of a wave, of a block, of the blocks of a cluster.
#pragma once

#include <optional>

#include "plan/draft.h"

namespace rowsmith {

// Whatever holds the row with few registers; nothing where nothing does.
std::optional<launch_plan> held(draft& d, const packing& p);

}  // namespace rowsmith
