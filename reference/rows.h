// rows: what only moves data: gather_rows and its backward, copies of strided tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/expected.h"

namespace rowsmith::reference {

// Row r is row index[r] of the dense `table`; +0 for -1 and for any other index outside of it.
expected gather_rows(std::span<const double> table, std::size_t width, std::span<const std::int64_t> index);

// The sum of the rows of dy that were taken from a row, for each of `rows` rows: +0 for none.
expected gather_rows_backward(std::span<const double> dy, std::size_t width, std::span<const std::int64_t> index,
                              std::size_t rows);

// A strided view in row-major order; strides in elements of `storage`, from element `first`.
expected copy(std::span<const double> storage, std::int64_t first, std::span<const std::int64_t> shape,
              std::span<const std::int64_t> stride);

}  // namespace rowsmith::reference
