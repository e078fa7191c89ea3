// The fallbacks of softmax and log_softmax: one row, three passes, any width, dtype and stride. NaN and infinities come
// out as in op/softmax.h, whose exponentials they share.
//
// `member` of `members` threads take every members-th element; `team` reduces over them.
#pragma once

#include "math/logarithm.h"
#include "op/max_and_sum.h"
#include "scalar/compensated.h"
#include "scalar/tensor.h"

namespace rs {

// Bits of the options, as the op table has them.
struct softmax_bits {
  enum : u64 { accurate = 1, masked = 2, mask_form = 12, keep = 4, drop = 8, additive = 12, scaled = 16 };
};

// The logits of a row; operands in the op table's order.
template <class Args>
struct scalar_logits {
  enum : int { x_place, mask_place, bias_place, causal_place, y_place, lse_place };
  using row_t = scalar_row<Args>;

  row_t x, mask, bias;
  u64 form;
  bool is_scaled;
  float scale;
  i64 keys;  // positions before the causal limit

  static RS_MEMBER scalar_logits at(const Args& args, i64 row) {
    const auto& causal = args.op[causal_place];
    i64 keys = args.width;
    if (causal.type != 0) {
      const i64 offset = scalar_offset(args, causal_place, row, 0, Args::outer_axes);
      keys = reinterpret_cast<i64>(causal.data) + offset + 1;
    }
    return {row_t::at(args, x_place, row),
            row_t::at(args, mask_place, row),
            row_t::at(args, bias_place, row),
            args.options & softmax_bits::mask_form,
            (args.options & softmax_bits::scaled) != 0,
            args.param[4],
            keys};
  }

  RS_MEMBER float get(i64 i) const {
    if (i >= keys) return minus_infinity;
    float z = x.get(i);
    if (is_scaled) z = z * scale;
    if (form == softmax_bits::additive) z = z + mask.get(i);
    if (bias.is_there()) z = z + bias.get(i);
    const bool removed =
        (form == softmax_bits::keep && mask.get(i) == 0.0f) || (form == softmax_bits::drop && mask.get(i) != 0.0f);
    return removed ? minus_infinity : z;
  }
};

template <class Exp, class Z, class Team>
RS_DEVICE typename max_and_sum<Exp>::template state<float> scalar_total(const Z& z, i64 width, int member, int members,
                                                                        Team& team) {
  float top = minus_infinity;
  for (i64 i = member; i < width; i += members) top = vmax(z.get(i), top);
  top = max_and_sum<Exp>::reference(team.template reduce<max_of>(top));
  compensated_sum sum;
  for (i64 i = member; i < width; i += members) sum.add(Exp::of(z.get(i), top));
  return {top, team.template reduce<sum_of>(sum.total)};
}

template <class Exp, bool Log, class Args, class Team>
RS_DEVICE void scalar_softmax_row(const Args& args, i64 row, int member, int members, Team& team) {
  using logits_t = scalar_logits<Args>;
  using row_t = scalar_row<Args>;
  const logits_t z = logits_t::at(args, row);
  const row_t y = row_t::at(args, logits_t::y_place, row), lse = row_t::at(args, logits_t::lse_place, row);
  const auto total = scalar_total<Exp>(z, args.width, member, members, team);
  const float log_sum = m_log(total.sum);
  if (member == 0 && lse.is_there()) lse.set_one(z.x.is_there() ? total.max + log_sum : minus_infinity);
  const bool nothing = !z.x.is_there() || ((args.options & softmax_bits::masked) != 0 && total.sum == 0.0f);
  const float factor = reciprocal(total.sum);
  for (i64 i = member; i < args.width; i += members) {
    const float v = Log ? (z.get(i) - total.max) - log_sum : Exp::of(z.get(i), total.max) * factor;
    y.set(i, nothing ? 0.0f : v);
  }
}

template <class Args, class Team>
RS_DEVICE void scalar_softmax(const Args& args, i64 row, int member, int members, Team& team) {
  if ((args.options & softmax_bits::accurate) != 0) {
    scalar_softmax_row<exp_accurate, false>(args, row, member, members, team);
  } else {
    scalar_softmax_row<exp_fast, false>(args, row, member, members, team);
  }
}

template <class Args, class Team>
RS_DEVICE void scalar_log_softmax(const Args& args, i64 row, int member, int members, Team& team) {
  if ((args.options & softmax_bits::accurate) != 0) {
    scalar_softmax_row<exp_accurate, true>(args, row, member, members, team);
  } else {
    scalar_softmax_row<exp_fast, true>(args, row, member, members, team);
  }
}

}  // namespace rs
