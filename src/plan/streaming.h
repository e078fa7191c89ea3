// streaming: rows that nobody holds: they are passed over twice.
#pragma once

#include "plan/draft.h"

namespace rowsmith {

constexpr int streamed_threads = 512;  // of a block that passes over a row

// By the blocks of a cluster where the L2 is to have the row the second time, else by a block.
launch_plan streamed(draft& d, const packing& p);

// Into how many parts a pack falls: the packs of several tensors that are under way together take registers.
int parts_of_a_pack(const draft& d, bool window);

}  // namespace rowsmith
