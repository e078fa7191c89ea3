// A row that a block passes over because its registers cannot hold it, and the verbs of the op text on it. `retain`
// keeps the first Kept packs of an input in every thread, as stored words; later passes read the others again, from the
// L2 if the row is still there: forwards (backwards, after what was read last, was slower by 2-5 %).
#pragma once

#include "row/compensated.h"
#include "row/element.h"
#include "row/expr.h"
#include "row/fused.h"
#include "row/limited.h"
#include "row/operand.h"
#include "row/product.h"
#include "row/share.h"
#include "row/team.h"

namespace rs {

// Which packs an expression is asked for: kept ones, by a constant index; such that lie inside the row; or any.
enum class ask { kept, inside, any };

// An input whose packs first … first + Packs - 1 of every thread are in registers.
template <class Source, int Pack, int First, int Packs>
struct partly_kept {
  using type = typename Source::type;
  Source source;
  stored_pack<type, Pack> part[Packs > 0 ? Packs : 1];

  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    if constexpr (Row::asked == ask::kept) {
      stored_pack<type, Pack> p;
      RS_UNROLL
      for (int w = 0; w < p.words; ++w) p.word[w] = recall(part[i - First].word[w], row.team->zero);
      return unpack(p);
    } else {
      return source.get(row, i);
    }
  }
};

template <class Share, class Team, int Kept, reuse Reuse, ask Asked>
struct streamed_row {
  static constexpr int pack_size = Share::pack_size;
  static constexpr bool streamed = true;
  static constexpr ask asked = Asked;
  static constexpr int batch = pack_size == 1 ? 8 : 4;  // packs whose loads are under way together

  static constexpr int first_sure = Share::first_sure;
  static constexpr int packs_kept = Kept < Share::sure ? Kept : Share::sure;

  Share share;
  Team* team;
  bool writes = true;  // false where a team without a row of its own computes a neighbour's again

  template <class S>
  RS_MEMBER auto words(const S& x, int i) const {
    using T = typename S::type;
    if (Asked == ask::inside || share.inside(i)) return x.template read<pack_size, Reuse>(share.start(), share.step(i));
    stored_pack<T, pack_size> r{};
    RS_UNROLL
    for (int k = 0; k < pack_size; ++k) {
      if (share.has(i, k)) r.set_element(k, x.read_element(share.first(i) + k));
    }
    return r;
  }

  template <int At, class E>
  RS_MEMBER float element(const E& e) const {
    return e.get(single_element<At>{}, 0).v[0];
  }
  template <class E>
  RS_MEMBER float first(const E& e) const {
    return element<0>(e);
  }

  // The number of the first element of pack i; negative where a window begins before the row.
  RS_MEMBER auto column(int i) const { return share.first(i); }

  template <class E>
  RS_MEMBER auto retain(const E& e) const {
    return retain_some(e, every_pack{});
  }

  template <class S, class E>
  RS_MEMBER auto keep_as(const E& e) const {
    return retain(e);
  }

  RS_MEMBER auto width() const { return share.width; }

  // Is v true for this row, or for one whose reductions have to be taken part in?
  RS_MEMBER bool any(bool v) const { return team->any(v); }

  template <class Op, class E>
  RS_MEMBER float reduce(const E& e) const {
    return fold<reduction<Op>>(e).value;
  }

  template <class State, class E>
  RS_MEMBER auto fold(const E& e) const {
    auto t = State::template empty<float>();
    constexpr int begin = first_sure + packs_kept;
    const int batches = (share.sure_packs() - packs_kept) / batch;
    const auto inside = view<reuse::again, ask::inside>();
    RS_UNROLL_BY(1)
    for (int i = begin; i < begin + batches * batch; i += batch) {
      float v[batch * pack_size];
      RS_UNROLL
      for (int b = 0; b < batch; ++b) {
        const auto p = e.get(inside, i + b);
        RS_UNROLL
        for (int k = 0; k < pack_size; ++k) v[b * pack_size + k] = p.v[k];
      }
      t = State::add(t, v);
    }
    RS_UNROLL_BY(1)
    for (int i = begin + batches * batch; i < share.packs; ++i) t = fold_pack<State>(t, e, i);
    for (int i = 0; i < first_sure; ++i) t = fold_pack<State>(t, e, i);
    const auto kept = view<Reuse, ask::kept>();
    RS_UNROLL
    for (int i = first_sure; i < begin; ++i) t = State::add(t, e.get(kept, i).v);
    return team->template gather<State>(t);
  }

  template <class T, class Inner, int Align, reuse Wanted, class E>
  RS_MEMBER void store(const target<T, Inner, Align, Wanted>& y, const E& e) const {
    constexpr int begin = first_sure + packs_kept;
    const int batches = (share.sure_packs() - packs_kept) / batch;
    const auto kept = view<Reuse, ask::kept>();
    RS_UNROLL
    for (int i = first_sure; i < begin; ++i) {
      const stored_pack<T, pack_size> p = stored_piece<T>(kept, e, i);
      if (writes) y.template write<reuse::last>(share.start(), share.step(i), p);
    }
    const auto inside = view<reuse::last, ask::inside>();
    RS_UNROLL_BY(1)
    for (int i = begin; i < begin + batches * batch; i += batch) {
      stored_pack<T, pack_size> p[batch];
      RS_UNROLL
      for (int b = 0; b < batch; ++b) p[b] = stored_piece<T>(inside, e, i + b);
      RS_UNROLL
      for (int b = 0; b < batch; ++b) {
        if (writes) y.template write<reuse::last>(share.start(), share.step(i + b), p[b]);
      }
    }
    RS_UNROLL_BY(1)
    for (int i = begin + batches * batch; i < share.packs; ++i) store_pack_of(y, e, i);
    for (int i = 0; i < first_sure; ++i) store_pack_of(y, e, i);
  }

  // Two results at once: either may take the place of what both are made of.
  template <class T, class Inner, int Align, reuse Wanted, class E, class Y2, class E2>
  RS_MEMBER void store_two(const target<T, Inner, Align, Wanted>& y, const E& e, const Y2& y2, const E2& e2) const {
    constexpr int begin = first_sure + packs_kept;
    const auto kept = view<Reuse, ask::kept>();
    RS_UNROLL
    for (int i = first_sure; i < begin; ++i) {
      const auto p = stored<T>(e.get(kept, i));
      const auto p2 = stored<typename Y2::type>(e2.get(kept, i));
      y.template write<reuse::last>(share.start(), share.step(i), p);
      y2.template write<reuse::last>(share.start(), share.step(i), p2);
    }
    RS_UNROLL_BY(1)
    for (int i = begin; i < share.packs; ++i) store_two_packs(y, e, y2, e2, i);
    for (int i = 0; i < first_sure; ++i) store_two_packs(y, e, y2, e2, i);
  }
  template <class T, class Inner, int Align, reuse Wanted, class E, class Y2, class After, class... More, class E2>
  RS_MEMBER void store_two(const target<T, Inner, Align, Wanted>& y, const E& e, const finished<Y2, After, More...>& y2,
                           const E2& e2) const {
    store_two(y, e, y2.y, y2.of(e2));
  }
  template <class E, class Y2, class E2>
  RS_MEMBER void store_two(none, const E&, const Y2& y2, const E2& e2) const {
    store(y2, e2);
  }

  // y is x, bit for bit where their types agree.
  template <class T, class Inner, int Align, reuse Wanted, class S>
  RS_MEMBER void copy(const target<T, Inner, Align, Wanted>& y, const S& x) const {
    if constexpr (same<T, typename S::type>) {
      const auto once = view<reuse::last, ask::any>();
      const int even = share.packs / batch * batch;
      RS_UNROLL_BY(1)
      for (int i = 0; i < even; i += batch) {
        stored_pack<T, pack_size> p[batch];
        RS_UNROLL
        for (int b = 0; b < batch; ++b) p[b] = once.words(x, i + b);
        RS_UNROLL
        for (int b = 0; b < batch; ++b) put(y, i + b, p[b]);
      }
      for (int i = even; i < share.packs; ++i) put(y, i, once.words(x, i));
    } else {
      store(y, x);
    }
  }

  // e is added to the sums of the row's columns. REQUIRES: no window, nothing kept.
  template <class E>
  RS_MEMBER void accumulate(float* sum, float* lost, const E& e) const {
    static_assert(!Share::windowed && packs_kept == 0, "a thread has the same columns in every row");
    RS_UNROLL_BY(1)
    for (int i = 0; i < share.packs; ++i) {
      if (share.inside(i)) add_compensated(sum + share.first(i), lost + share.first(i), e.get(*this, i));
    }
  }

  // A value of the whole row.
  template <class T, class Inner, int Align, reuse Wanted>
  RS_MEMBER void store_one(const target<T, Inner, Align, Wanted>& y, float value) const {
    if (writes && share.lane == 0) y.write_element(0, stored<T>(pack<1>{{value}}).element(0));
  }
  RS_MEMBER void store_one(none, float) const {}

  template <class E>
  RS_MEMBER void store(none, const E&) const {}
  template <class Y, class After, class... More, class E>
  RS_MEMBER void store(const finished<Y, After, More...>& y, const E& e) const {
    store(y.y, y.of(e));
  }

 private:
  // Of an input those of the kept packs that are worth reading; the others are zeros.
  template <class T, class Inner, int Align, reuse Wanted, bool Picked, class Which>
  RS_MEMBER auto retain_some(const source<T, Inner, Align, Wanted, Picked>& x, Which which) const {
    using source_t = source<T, Inner, Align, Wanted, Picked>;
    if constexpr (same<Inner, broadcast>) {
      return held_element{to_float(x.read_element(0))};
    } else {
      partly_kept<source_t, pack_size, first_sure, packs_kept> k{x};
      RS_UNROLL
      for (int i = 0; i < packs_kept; ++i) {
        if (which.wants(share.first(first_sure + i))) {
          k.part[i] = x.template read<pack_size, reuse::last>(share.start(), share.step(first_sure + i));
        } else {
          k.part[i] = {};
        }
      }
      return k;
    }
  }
  template <class F, class... E, class Which>
  RS_MEMBER auto retain_some(const mapped<F, E...>& e, Which which) const {
    return e.rebuilt([this, which](const auto& leaf) RS_LAMBDA { return retain_some(leaf, which); });
  }
  template <class E, class Offset, class Which>
  RS_MEMBER auto retain_some(const limited<E, Offset>& e, Which) const {
    return limit(retain_some(e.expr, packs_before<Offset>{e.end}), e.end, e.otherwise);
  }
  template <class E, class Which>
  RS_MEMBER E retain_some(const E& e, Which) const {
    return e;
  }

  template <reuse R, ask A>
  RS_MEMBER streamed_row<Share, Team, Kept, R, A> view() const {
    return {share, team, writes};
  }

  template <class State, class S, class E>
  RS_MEMBER S fold_pack(S t, const E& e, int i) const {
    const pack<pack_size> p = e.get(*this, i);
    bool there[pack_size];
    RS_UNROLL
    for (int k = 0; k < pack_size; ++k) there[k] = share.has(i, k);
    return State::add_some(t, p.v, there);
  }

  template <class Y, class E>
  RS_MEMBER void store_pack_of(const Y& y, const E& e, int i) const {
    put(y, i, stored_piece<typename Y::type>(*this, e, i));
  }
  template <class Y, class E, class Y2, class E2>
  RS_MEMBER void store_two_packs(const Y& y, const E& e, const Y2& y2, const E2& e2, int i) const {
    const auto p = stored<typename Y::type>(e.get(*this, i));
    const auto p2 = stored<typename Y2::type>(e2.get(*this, i));
    put(y, i, p);
    put(y2, i, p2);
  }

  template <class Y>
  RS_MEMBER void put(const Y& y, int i, const stored_pack<typename Y::type, pack_size>& p) const {
    if (!writes) return;
    if (share.inside(i)) {
      y.template write<reuse::last>(share.start(), share.step(i), p);
    } else {
      RS_UNROLL
      for (int k = 0; k < pack_size; ++k) {
        if (share.has(i, k)) y.write_element(share.first(i) + k, p.element(k));
      }
    }
  }
};

}  // namespace rs
