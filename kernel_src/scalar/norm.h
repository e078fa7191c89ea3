// The fallbacks of the norms: one row, four passes, any width, dtype and stride. Statistics as in op/normalize.h.
//
// `member` of `members` threads take every members-th element; `team` reduces over them.
#pragma once

#include "op/norm.h"
#include "scalar/compensated.h"
#include "scalar/tensor.h"

namespace rs {

// Which threads have a row together.
template <class Team>
struct scalar_team {
  int member;
  int members;
  Team& team;

  // The sum of f(i) over the row.
  template <class F>
  RS_MEMBER float sum(i64 width, F f) const {
    compensated_sum s;
    for (i64 i = member; i < width; i += members) s.add(f(i));
    return team.template reduce<sum_of>(s.total);
  }
};

// The bits of options that the norms have in common, as src/model/op_table.h names them.
struct norm_options {
  u64 bits;

  RS_MEMBER float scale(float w) const { return (bits & 1) != 0 ? 1.0f + w : w; }
  RS_MEMBER bool casts_before_weight() const { return (bits & 2) != 0; }
  RS_MEMBER bool keeps_residual() const { return (bits & 4) != 0; }
  RS_MEMBER bool residual_is_last() const { return (bits & 8) != 0; }
};

RS_DEVICE float scalar_round(i64 type, float v) {
  if (type == type_f16) return round_to<f16>(v);
  if (type == type_bf16) return round_to<bf16>(v);
  return v;
}

// Statistics of the row of x(i).
template <bool Centered, class Team, class X>
RS_DEVICE row_statistics<normalized> scalar_statistics(const scalar_team<Team>& team, i64 width, float epsilon, X x) {
  const float share = 1.0f / static_cast<float>(width);
  const float first = Centered && width > 0 ? x(0) : 0.0f;
  float offset = 0.0f;
  if constexpr (Centered) {
    offset = team.sum(width, [&](i64 i) RS_LAMBDA { return x(i) - first; }) * share;
  }
  const squared_deviation square{first, offset};
  const float variance = team.sum(width, [&](i64 i) RS_LAMBDA { return square(x(i)); }) * share;
  if (!Centered || variance < infinity) return with_spread(first, offset, variance, epsilon);
  if (width == 0) return without_spread(first, variance);  // moments of nothing are NaN
  const half_of_mean half{first * 0.5f, share};
  return without_spread(first, team.sum(width, [&](i64 i) RS_LAMBDA { return half(x(i)); }));
}

// The operands of a norm of one row; absent ones are null.
template <class Args>
struct scalar_norm_row {
  using row_t = scalar_row<Args>;
  norm_options options;
  row_t x, residual, weight, bias, y, sum, mean, rstd;
  i64 type_of_sum;

  RS_MEMBER bool has_residual() const { return residual.type != 0; }
  RS_MEMBER bool is_there() const { return x.is_there() || (residual.is_there() && !options.residual_is_last()); }

  // What is normalized.
  RS_MEMBER float read(i64 i) const {
    if (!has_residual() || options.residual_is_last()) return x.get(i);
    const float added = x.get(i) + residual.get(i);
    return options.keeps_residual() ? added : scalar_round(type_of_sum, added);
  }

  RS_MEMBER float result(i64 i, float n) const {
    if (options.casts_before_weight()) n = scalar_round(x.own_type(), n);
    float v = 0.0f;
    if (is_there()) {
      const float w = weight.is_there() ? options.scale(weight.get(i)) : 1.0f;
      v = vfma(n, w, bias.is_there() ? bias.get(i) : 0.0f);
    }
    return has_residual() && options.residual_is_last() ? v + residual.get(i) : v;
  }
};

template <bool Centered, class Args, class Team>
RS_DEVICE void scalar_norm_of(const Args& args, const scalar_norm_row<Args>& row, const scalar_team<Team>& team) {
  auto s = scalar_statistics<Centered>(team, args.width, args.param[4], [&](i64 i) RS_LAMBDA { return row.read(i); });
  if (!row.is_there()) s.mean = s.rstd = 0.0f;
  for (i64 i = team.member; i < args.width; i += team.members) {
    const float v = row.read(i), y = row.result(i, s.how(v));
    if (row.sum.is_there()) row.sum.set(i, v);
    row.y.set(i, y);
  }
  if (team.member != 0) return;
  if (row.mean.is_there()) row.mean.set_one(s.mean);
  if (row.rstd.is_there()) row.rstd.set_one(s.rstd);
}

// Operands in the op table's order: x, weight, bias, y, mean, rstd.
template <bool Centered, class Args, class Team>
RS_DEVICE void scalar_plain_norm(const Args& args, i64 row, int member, int members, Team& team) {
  using row_t = scalar_row<Args>;
  const row_t none_such{&args, 0, nullptr, 0, 0};
  const auto at = [&](int position) RS_LAMBDA { return row_t::at(args, position, row); };
  const scalar_norm_row<Args> r{{args.options}, at(0), none_such, at(1), at(2), at(3), none_such, at(4), at(5), 0};
  scalar_norm_of<Centered>(args, r, scalar_team<Team>{member, members, team});
}

// x, residual, weight, bias, y, sum, mean, rstd.
template <bool Centered, class Args, class Team>
RS_DEVICE void scalar_add_norm(const Args& args, i64 row, int member, int members, Team& team) {
  using row_t = scalar_row<Args>;
  const auto at = [&](int position) RS_LAMBDA { return row_t::at(args, position, row); };
  scalar_norm_row<Args> r{{args.options}, at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), 0};
  r.type_of_sum = r.sum.is_there() ? r.sum.type : r.x.own_type();
  scalar_norm_of<Centered>(args, r, scalar_team<Team>{member, members, team});
}

template <class Args, class Team>
RS_DEVICE void scalar_layer_norm(const Args& args, i64 row, int member, int members, Team& team) {
  scalar_plain_norm<true>(args, row, member, members, team);
}
template <class Args, class Team>
RS_DEVICE void scalar_rms_norm(const Args& args, i64 row, int member, int members, Team& team) {
  scalar_plain_norm<false>(args, row, member, members, team);
}
template <class Args, class Team>
RS_DEVICE void scalar_add_layer_norm(const Args& args, i64 row, int member, int members, Team& team) {
  scalar_add_norm<true>(args, row, member, members, team);
}
template <class Args, class Team>
RS_DEVICE void scalar_add_rms_norm(const Args& args, i64 row, int member, int members, Team& team) {
  scalar_add_norm<false>(args, row, member, members, team);
}

}  // namespace rs
