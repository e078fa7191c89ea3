// window: row indices that partition a tensor into windows (Swin, Pangu-Weather) and put it together again, for the
// row index of gather and of row ops: with them pad, roll, partition and their inverses cost no pass over memory.
//
// A row is what lies under one point of a grid of 1 to 3 axes, in row-major order. The grid is padded, rolled and cut
// into windows: windows in row-major order, and inside each its points in row-major order. A batch is one more leading
// axis with a window of 1, or an offset that the caller adds.
//
// Host functions on host memory; no device is touched. Thread promise: pure, any number of threads.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "rowsmith/export.h"
#include "rowsmith/status.h"

namespace rowsmith {

constexpr int max_window_axes = 3;

// One number per axis. More than max_window_axes are counted, not kept: the functions below refuse them.
struct window_axes {
  std::int32_t count = 0;
  std::int64_t at[max_window_axes] = {};

  window_axes() = default;
  window_axes(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t v : values) {
      if (count < max_window_axes) at[count] = v;
      ++count;
    }
  }
};

// Points added around the grid. Their rows have index -1, which a row index reads as zeros.
struct window_pad {
  enum class kind : std::uint8_t {
    given,     // `front` and `back`; no axes: none
    at_back,   // up to the next multiple of the window, behind (Swin)
    centered,  // the same, half of it in front, rounded down (Pangu-Weather)
  };
  kind how = kind::given;
  window_axes front, back;

  static window_pad none() { return {}; }
  static window_pad to_multiple() { return {kind::at_back, {}, {}}; }
  static window_pad to_multiple_centered() { return {kind::centered, {}, {}}; }
  static window_pad of(window_axes front, window_axes back) { return {kind::given, front, back}; }
};

// The number of rows of the windowed tensor: the padded grid's points.
ROWSMITH_EXPORT result<std::int64_t> window_rows(const window_axes& dims, const window_axes& window,
                                                 const window_pad& pad = {});

// index[r]: the row of x that row r of partition(roll(pad(x), -shift)) holds, or -1 for padding. Along an axis of n
// padded points, point q after the roll is point (q + shift) mod n before it; shift may be any number, no axes: none.
//   rows: the size of `index`; must be window_rows().
// Errors: invalid_argument names the argument: 1 to 3 axes, as many everywhere; dims >= 0, window >= 1, pad >= 0; every
// padded axis a multiple of its window; row numbers that fit the index type; `index` null or of another size. A failed
// call has written nothing.
ROWSMITH_EXPORT status window_index(const window_axes& dims, const window_axes& window, const window_axes& shift,
                                    const window_pad& pad, std::int32_t* index, std::int64_t rows);
ROWSMITH_EXPORT status window_index(const window_axes& dims, const window_axes& window, const window_axes& shift,
                                    const window_pad& pad, std::int64_t* index, std::int64_t rows);

// The inverse, crop(roll(reverse(windows), shift)): index[r] is the row of the windowed tensor that holds row r of x.
//   rows: the size of `index`; must be the product of dims.
ROWSMITH_EXPORT status window_restore_index(const window_axes& dims, const window_axes& window,
                                            const window_axes& shift, const window_pad& pad, std::int32_t* index,
                                            std::int64_t rows);
ROWSMITH_EXPORT status window_restore_index(const window_axes& dims, const window_axes& window,
                                            const window_axes& shift, const window_pad& pad, std::int64_t* index,
                                            std::int64_t rows);

}  // namespace rowsmith
