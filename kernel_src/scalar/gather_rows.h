// The fallback of gather_rows: one row.
#pragma once

#include "scalar/tensor.h"

namespace rs {

// Operands in the op table's order: x, y, index.
template <class Args, class Team>
RS_DEVICE void scalar_gather_rows(const Args& args, i64 row, int member, int members, Team&) {
  using row_t = scalar_row<Args>;
  const row_t x = row_t::at(args, 0, row), y = row_t::at(args, 1, row);
  for (i64 i = member; i < args.width; i += members) y.move(i, x);
}

}  // namespace rs
