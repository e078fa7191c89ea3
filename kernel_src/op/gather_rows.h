// gather_rows: row r of y is the row of x that an index picked, bit for bit where the dtypes agree; +0 where it picked
// none.
#pragma once

#include "row/expr.h"

namespace rs {

struct gather_rows {
  scalars given;

  template <class Row, class X, class Y>
  RS_MEMBER void operator()(const Row& row, X x, Y y) const {
    row.copy(y, x);
  }
};

}  // namespace rs
