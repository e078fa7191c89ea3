// space: the shape that an op runs over and the axes along which it reduces; and how a tensor stands in it.
#pragma once

#include <cstddef>
#include <vector>

#include "support/tensor.h"

namespace rowsmith::test {

struct space {
  dims shape;
  unsigned reduced = 0;  // bit i: axis i

  bool reduces(std::size_t axis) const { return (reduced >> axis & 1) != 0; }
  std::size_t rows() const { return product(false); }
  std::size_t width() const { return product(true); }

 private:
  std::size_t product(bool of_reduced) const {
    std::size_t n = 1;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      if (reduces(a) == of_reduced) n *= static_cast<std::size_t>(shape[a]);
    }
    return n;
  }
};

// What an axis of a tensor stands for: an axis of the space (its number), nothing (one element that repeats), or the
// rows of a table that an index points into.
constexpr int stands_for_nothing = -1, stands_for_table_rows = -2;

// Where in a tensor, in row-major order of its own shape, the elements of the space's rows are found. In a table: as if
// of row 0.
struct walk {
  std::vector<std::size_t> row, column;

  std::size_t at(std::size_t r, std::size_t i) const { return row[r] + column[i]; }

  template <class To, class From>
  std::vector<To> values_of_row(const std::vector<From>& all, std::size_t r) const {
    std::vector<To> values(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) values[i] = static_cast<To>(all[at(r, i)]);
    return values;
  }
};

walk walk_of(const space& over, const std::vector<int>& axes, const dims& own_shape);

}  // namespace rowsmith::test
