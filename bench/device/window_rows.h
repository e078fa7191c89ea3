// window_rows: the row index of a window_order, and how many rows it picks: padding picks none.
#pragma once

#include <cstdint>

#include "bench_case.h"
#include "cli/op_setup.h"
#include "cli/tensor_maker.h"

namespace rowsmith::bench {

struct picked_rows {
  cli::host_memory index;
  std::int64_t picked = 0;
};

// REQUIRES: `index` is an operand of i32.
result<picked_rows> window_rows_of(const window_order& w, const cli::tensor_setup& index);

}  // namespace rowsmith::bench
