#include "window_rows.h"

#include <algorithm>

namespace rowsmith::bench {

result<picked_rows> window_rows_of(const window_order& w, const cli::tensor_setup& index) {
  picked_rows rows{cli::host_memory(index.bytes())};
  auto* const first = static_cast<std::int32_t*>(rows.index.data());
  const std::int64_t count = cli::elements(index.extents);
  const window_pad pad = window_pad::of(w.front, w.back);
  status made = w.restores ? window_restore_index(w.dims, w.window, w.shift, pad, first, count)
                           : window_index(w.dims, w.window, w.shift, pad, first, count);
  if (!made) return made;
  rows.picked = std::count_if(first, first + count, [](std::int32_t row) { return row >= 0; });
  return rows;
}

}  // namespace rowsmith::bench
