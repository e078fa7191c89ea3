// The fallback of softmax: one row, three passes, any width, dtype and stride. NaN and infinities come out as in
// op/softmax.h, whose exponentials it shares.
//
// `member` of `members` threads take every members-th element; `team` reduces over them.
#pragma once

#include "op/softmax.h"
#include "scalar/tensor.h"

namespace rs {

template <class Exp, class Row, class Team>
RS_DEVICE void scalar_softmax_row(Row x, Row y, i64 width, int member, int members, Team& team) {
  float top = minus_infinity;
  for (i64 i = member; i < width; i += members) top = vmax(x.get(i), top);
  top = team.template reduce<max_of>(top);
  // Kahan's sum: one long chain of additions would lose more than the contract allows.
  float sum = 0.0f, lost = 0.0f;
  for (i64 i = member; i < width; i += members) {
    const float term = Exp::of(x.get(i), top) - lost;
    const float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  const float scale = reciprocal(team.template reduce<sum_of>(sum));
  for (i64 i = member; i < width; i += members) y.set(i, Exp::of(x.get(i), top) * scale);
}

// Operands in the op table's order: x, mask, bias, causal, y, lse. Bit 0 of the options asks for accurate exponentials.
template <class Args, class Team>
RS_DEVICE void scalar_softmax(const Args& args, i64 row, int member, int members, Team& team) {
  using row_t = scalar_row<Args>;
  const row_t x = row_t::at(args, 0, row), y = row_t::at(args, 4, row);
  if ((args.options & 1) != 0) {
    scalar_softmax_row<exp_accurate>(x, y, args.width, member, members, team);
  } else {
    scalar_softmax_row<exp_fast>(x, y, args.width, member, members, team);
  }
}

}  // namespace rs
