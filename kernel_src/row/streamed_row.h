// A row that a block passes over without keeping it, and the verbs of the op text on it. Every pass evaluates its
// expression anew, from the L2 if the row is still there.
#pragma once

#include "row/expr.h"
#include "row/operand.h"
#include "row/share.h"
#include "row/team.h"

namespace rs {

// Sure: only packs are asked for that lie inside the row, no check is made.
template <class Share, int Threads, reuse Reuse, bool Sure>
struct streamed_row {
  static constexpr int width = Share::width;
  static constexpr int pack_size = Share::pack_size;
  static constexpr bool streamed = true;
  static constexpr int batch = 4;  // packs whose loads are under way together

  Share share;
  block_team<Threads>* team;

  template <class S>
  RS_MEMBER auto words(const S& x, int i) const {
    using T = typename S::type;
    if (Sure || share.inside(i)) return x.template read<pack_size, Reuse>(share.start(), share.step(i));
    stored_pack<T, pack_size> r{};
    RS_UNROLL
    for (int k = 0; k < pack_size; ++k) {
      if (share.has(i, k)) r.set_element(k, x.read_element(share.first(i) + k));
    }
    return r;
  }

  template <class E>
  RS_MEMBER const E& retain(const E& e) const {
    return e;
  }

  template <class State, class E>
  RS_MEMBER auto fold(const E& e) const {
    auto t = State::template empty<float>();
    int i = 0;
    for (; i < Share::first_sure; ++i) t = fold_pack<State>(t, e, i);
    const streamed_row<Share, Threads, reuse::again, true> sure{share, team};
    RS_UNROLL_BY(1)
    for (; i + batch <= Share::end_sure; i += batch) {
      float v[batch * pack_size];
      RS_UNROLL
      for (int b = 0; b < batch; ++b) {
        const auto p = e.get(sure, i + b);
        RS_UNROLL
        for (int k = 0; k < pack_size; ++k) v[b * pack_size + k] = p.v[k];
      }
      t = State::add(t, v);
    }
    RS_UNROLL_BY(1)
    for (; i < Share::packs; ++i) t = fold_pack<State>(t, e, i);
    return team->template merge<State>(State::across(lane_team<wave_size>{}, t));
  }

  template <class Y, class E>
  RS_MEMBER void store(const Y& y, const E& e) const {
    using T = typename Y::type;
    int i = 0;
    for (; i < Share::first_sure; ++i) store_pack_of(y, e, i);
    const streamed_row<Share, Threads, reuse::once, true> sure{share, team};
    RS_UNROLL_BY(1)
    for (; i + batch <= Share::end_sure; i += batch) {
      stored_pack<T, pack_size> p[batch];
      RS_UNROLL
      for (int b = 0; b < batch; ++b) p[b] = stored<T>(e.get(sure, i + b));
      RS_UNROLL
      for (int b = 0; b < batch; ++b) y.write(share.start(), share.step(i + b), p[b]);
    }
    RS_UNROLL_BY(1)
    for (; i < Share::packs; ++i) store_pack_of(y, e, i);
  }

 private:
  // Elements that are not there count as -inf: nothing, to a maximum and to a sum of exponentials.
  template <class State, class S, class E>
  RS_MEMBER S fold_pack(S t, const E& e, int i) const {
    pack<pack_size> p = e.get(*this, i);
    RS_UNROLL
    for (int k = 0; k < pack_size; ++k) p.v[k] = share.has(i, k) ? p.v[k] : minus_infinity;
    return State::add(t, p.v);
  }

  template <class Y, class E>
  RS_MEMBER void store_pack_of(const Y& y, const E& e, int i) const {
    const auto p = stored<typename Y::type>(e.get(*this, i));
    if (share.inside(i)) {
      y.write(share.start(), share.step(i), p);
    } else {
      RS_UNROLL
      for (int k = 0; k < pack_size; ++k) {
        if (share.has(i, k)) y.write_element(share.first(i) + k, p.element(k));
      }
    }
  }
};

}  // namespace rs
