#include "reference/rows.h"

#include <cmath>

namespace rowsmith::reference {

namespace {

bool inside(std::int64_t index, std::size_t rows) { return index >= 0 && static_cast<std::size_t>(index) < rows; }

}  // namespace

expected gather_rows(std::span<const double> table, std::size_t width, std::span<const std::int64_t> index) {
  const std::size_t rows = width == 0 ? 0 : table.size() / width;
  expected y;
  for (const std::int64_t row : index) {
    for (std::size_t i = 0; i < width; ++i) {
      y.push_back({inside(row, rows) ? table[static_cast<std::size_t>(row) * width + i] : 0, 0, true});
    }
  }
  return y;
}

expected gather_rows_backward(std::span<const double> dy, std::size_t width, std::span<const std::int64_t> index,
                              std::size_t rows) {
  std::vector<std::size_t> taken(rows);
  expected dx(rows * width);
  reals size(rows * width);
  for (std::size_t r = 0; r < index.size(); ++r) {
    if (!inside(index[r], rows)) continue;
    const auto row = static_cast<std::size_t>(index[r]);
    ++taken[row];
    for (std::size_t i = 0; i < width; ++i) {
      dx[row * width + i].value += dy[r * width + i];
      size[row * width + i] += std::fabs(dy[r * width + i]);
    }
  }
  for (std::size_t at = 0; at < dx.size(); ++at) {
    const std::size_t terms = taken[at / width];
    if (terms > 1) dx[at].error = u * levels(terms) * size[at];
    dx[at].signed_zero = terms == 0;
  }
  return dx;
}

expected copy(std::span<const double> storage, std::int64_t first, std::span<const std::int64_t> shape,
              std::span<const std::int64_t> stride) {
  if (shape.empty()) return exactly(storage.subspan(static_cast<std::size_t>(first), 1));
  expected all;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    const expected part = copy(storage, first + i * stride[0], shape.subspan(1), stride.subspan(1));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace rowsmith::reference
