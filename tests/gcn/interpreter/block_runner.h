// block_runner: a dispatch: sets up each block's waves as the hardware does, and runs them by turns between barriers.
#pragma once

#include "image.h"

namespace rowsmith::gcn {

result<counts> run_blocks(const image& code, const dispatch& d, memory_map& memory);

}  // namespace rowsmith::gcn
