// The fallback of moments: two passes over a row, on x - x[0].
#pragma once

#include "op/large_mean.h"
#include "row/reductions.h"
#include "scalar/compensated.h"
#include "scalar/tensor.h"

namespace rs {

// Operands in the op table's order: x, mean, variance.
template <class Args, class Team>
RS_DEVICE void scalar_moments(const Args& args, i64 row, int member, int members, Team& team) {
  using row_t = scalar_row<Args>;
  const row_t x = row_t::at(args, 0, row), mean = row_t::at(args, 1, row), variance = row_t::at(args, 2, row);
  const float count = static_cast<float>(args.width);
  const float origin = args.width > 0 ? x.get(0) : as_float(0x7fc00000u);  // of nothing, both are NaN
  compensated_sum sum, squares;
  for (i64 i = member; i < args.width; i += members) sum.add(x.get(i) - origin);
  const float offset = team.template reduce<sum_of>(sum.total) / count;
  for (i64 i = member; i < args.width; i += members) {
    const float d = (x.get(i) - origin) - offset;
    squares.add(d * d);
  }
  float spread = team.template reduce<sum_of>(squares.total) / count, value = origin + offset;
  if (!(spread < infinity)) {
    const half_of_mean half{origin * 0.5f, 1.0f / count};
    compensated_sum halves;
    for (i64 i = member; i < args.width; i += members) halves.add(half(x.get(i)));
    const float of_all = team.template reduce<sum_of>(halves.total) + nothing_or_nan(origin);
    value = large_mean(origin, of_all);
    spread = infinity + nothing_or_nan(of_all);
  }
  if (member != 0) return;
  mean.set_one(value);
  if (variance.is_there()) variance.set_one(spread);
}

}  // namespace rs
