// Sums in memory that many rows add to: Kahan's compensation keeps their error from growing with the number of rows.
// What is kept beside a sum is what was added to it too much.
#pragma once

#include "row/pack.h"
#include "row/reductions.h"

namespace rs {

template <int N>
RS_DEVICE pack<N> load_floats(const float* from) {
  stored_pack<float, N> s;
  load_pack<N * 4 < 16 ? N * 4 : 16, reuse::again>(s, from);
  return unpack(s);
}
template <int N>
RS_DEVICE void store_floats(float* to, const pack<N>& p) {
  store_pack<N * 4 < 16 ? N * 4 : 16>(to, stored<float>(p));
}

// REQUIRES: sum and lost are aligned as packs of N floats are.
template <int N>
RS_DEVICE void add_compensated(float* sum, float* lost, const pack<N>& more) {
  const pack<N> old = load_floats<N>(sum), too_much = load_floats<N>(lost);
  pack<N> now, rest;
  RS_UNROLL
  for (int k = 0; k < N; ++k) {
    const float term = more.v[k] - too_much.v[k];
    now.v[k] = old.v[k] + term;
    // Of an infinite sum nothing is known any more, and inf - inf must not spoil it.
    rest.v[k] = vabs(now.v[k]) < infinity ? (now.v[k] - old.v[k]) - term : 0.0f;
  }
  store_floats(sum, now);
  store_floats(lost, rest);
}

}  // namespace rs
