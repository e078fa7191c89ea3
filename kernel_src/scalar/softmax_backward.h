// The fallbacks of softmax_backward and log_softmax_backward: one row, two passes. See op/softmax_backward.h and
// op/log_softmax_backward.h for what masked mode leaves out.
#pragma once

#include "scalar/softmax.h"

namespace rs {

// Operands in the op table's order.
template <class Args>
struct scalar_gradient_rows {
  using row_t = scalar_row<Args>;
  row_t y, dy, dx;
  bool masked;
  float scale;

  static RS_MEMBER scalar_gradient_rows at(const Args& args, i64 row) {
    return {row_t::at(args, 0, row), row_t::at(args, 1, row), row_t::at(args, 2, row),
            (args.options & softmax_bits::masked) != 0,
            (args.options & softmax_bits::scaled) != 0 ? args.param[4] : 1.0f};
  }
};

template <class Args, class Team>
RS_DEVICE void scalar_softmax_backward(const Args& args, i64 row, int member, int members, Team& team) {
  const auto at = scalar_gradient_rows<Args>::at(args, row);
  compensated_sum part;
  for (i64 i = member; i < args.width; i += members) {
    const float y = at.y.get(i);
    if (!at.masked || y != 0.0f) part.add(y * at.dy.get(i));
  }
  const float dot = team.template reduce<sum_of>(part.total);
  for (i64 i = member; i < args.width; i += members) {
    const float y = at.y.get(i);
    const float dx = y * (at.dy.get(i) - dot) * at.scale;
    at.dx.set(i, at.masked && y == 0.0f ? 0.0f : dx);
  }
}

template <class Exp, class Args, class Team>
RS_DEVICE void scalar_log_gradient(const Args& args, i64 row, int member, int members, Team& team) {
  const auto at = scalar_gradient_rows<Args>::at(args, row);
  const bool no_key = at.masked && args.width > 1 && at.y.get(0) == 0.0f && at.y.get(1) == 0.0f;
  compensated_sum part;
  for (i64 i = member; i < args.width; i += members) {
    if (!at.masked || at.y.get(i) != minus_infinity) part.add(at.dy.get(i));
  }
  const float sum = team.template reduce<sum_of>(part.total);
  for (i64 i = member; i < args.width; i += members) {
    const float y = at.y.get(i);
    const float dx = (at.dy.get(i) - Exp::of(y, 0.0f) * sum) * at.scale;
    at.dx.set(i, no_key || (at.masked && y == minus_infinity) ? 0.0f : dx);
  }
}

template <class Args, class Team>
RS_DEVICE void scalar_log_softmax_backward(const Args& args, i64 row, int member, int members, Team& team) {
  if ((args.options & softmax_bits::accurate) != 0) {
    scalar_log_gradient<exp_accurate>(args, row, member, members, team);
  } else {
    scalar_log_gradient<exp_fast>(args, row, member, members, team);
  }
}

}  // namespace rs
