// The fallbacks of the norms' backwards. The first launch runs over rows; a block (on the host: a chunk of rows) adds
// what its rows owe to the weights to a slab of the workspace, laid out as in row/column_sums.h. The second launch runs
// over columns and adds the slabs up.
#pragma once

#include "op/norm_backward.h"
#include "row/slabs.h"
#include "scalar/norm.h"

namespace rs {

// Which slab a row's sums go to, and whether the row is the first there.
struct scalar_slab {
  i64 slab;
  bool first;
  i64 slabs;
};

constexpr i64 scalar_rows_per_block = 16;  // on the host: as src/plan/plan.cpp has it

template <class Args>
RS_DEVICE scalar_slab scalar_slab_of(const Args& args, i64 row, int members) {
  if (members > 1) return {row % args.blocks, row < args.blocks, args.blocks < args.rows ? args.blocks : args.rows};
  const i64 needed = (args.rows - 1) / args.blocks + 1;  // as src/backend/host/host_kernel.cpp deals rows out
  const i64 chunk = needed > scalar_rows_per_block ? needed : scalar_rows_per_block;
  return {row / chunk, row % chunk == 0, (args.rows - 1) / chunk + 1};
}

RS_DEVICE void scalar_add_to(float* sum, float* too_much, float v, bool first) {
  compensated_sum s;
  if (!first) s = {*sum, *too_much};
  s.add(v);
  *sum = s.total;
  *too_much = s.lost;
}

// Operands in the op table's order: x, dy, weight, dx, dweight, dbias, the gradient of the sum.
template <bool Centered, class Args, class Team>
RS_DEVICE void scalar_norm_backward(const Args& args, i64 row, int member, int members, Team& team) {
  using row_t = scalar_row<Args>;
  const i64 width = args.width;
  const norm_options options{args.options};
  const row_t x = row_t::at(args, 0, row), dy = row_t::at(args, 1, row), weight = row_t::at(args, 2, 0),
              dx = row_t::at(args, 3, row), more = row_t::at(args, 6, row);
  const scalar_team<Team> all{member, members, team};
  const auto s = scalar_statistics<Centered>(all, width, args.param[4], [&](i64 i) RS_LAMBDA { return x.get(i); });

  if (args.op[4].type != 0 || args.op[5].type != 0) {
    const scalar_slab own = scalar_slab_of(args, row, members);
    if (row == 0 && member == 0) *static_cast<i64*>(args.workspace) = own.slabs;
    float* slab = slab_of(args.workspace, own.slab, 2, width);
    for (i64 i = member; i < width; i += members) {
      const float d = dy.get(i);
      scalar_add_to(sums_in(slab, 0, width) + i, lost_in(slab, 0, width) + i, d * s.how(x.get(i)), own.first);
      scalar_add_to(sums_in(slab, 1, width) + i, lost_in(slab, 1, width) + i, d, own.first);
    }
  }

  if (!dx.is_there()) return;
  const auto g = [&](i64 i)
                     RS_LAMBDA { return weight.is_there() ? dy.get(i) * options.scale(weight.get(i)) : dy.get(i); };
  const float share = 1.0f / static_cast<float>(width);
  gradient of{s.rstd, 0.0f, 0.0f};
  if constexpr (Centered) of.mean_g = all.sum(width, g) * share;
  of.mean_gx = all.sum(width, [&](i64 i) RS_LAMBDA { return g(i) * s.how(x.get(i)); }) * share;
  for (i64 i = member; i < width; i += members) {
    const float d = of(g(i), s.how(x.get(i)));
    dx.set(i, more.is_there() ? d + more.get(i) : d);
  }
}

template <class Args, class Team>
RS_DEVICE void scalar_layer_norm_backward(const Args& args, i64 row, int member, int members, Team& team) {
  scalar_norm_backward<true>(args, row, member, members, team);
}
template <class Args, class Team>
RS_DEVICE void scalar_rms_norm_backward(const Args& args, i64 row, int member, int members, Team& team) {
  scalar_norm_backward<false>(args, row, member, members, team);
}

// One column of dweight and dbias.
template <class Args, class Team>
RS_DEVICE void scalar_norm_columns(const Args& args, i64 column, int member, int members, Team& team) {
  const i64 slabs = args.rows == 0 ? 0 : slabs_in(args.workspace);
  const scalar_team<Team> all{member, members, team};
  for (int k = 0; k < 2; ++k) {
    const auto out = scalar_row<Args>::at(args, 4 + k, 0);
    if (!out.is_there()) continue;
    const float sum = all.sum(slabs, [&](i64 s) RS_LAMBDA {
      return sums_in(slab_of(args.workspace, s, 2, args.width), k, args.width)[column];
    });
    if (member == 0) out.set(column, sum);
  }
}

}  // namespace rs
