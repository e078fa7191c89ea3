// A row in the registers of a team, and the verbs of the op text on it. Used by lanes, block and staged rows.
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

// What `hold` keeps of an expression: floats, or (of an input alone) the words it is stored in; then what is computed
// from it is computed again in every pass, for half the registers.
enum class keep { values, storage };

template <int Packs, int Pack>
struct held_values {
  pack<Pack> part[Packs];
  template <class Row>
  RS_MEMBER const pack<Pack>& get(const Row&, int i) const {
    return part[i];
  }
};

template <class T, int Packs, int Pack>
struct held_storage {
  stored_pack<T, Pack> part[Packs];
  template <class Row>
  RS_MEMBER pack<Pack> get(const Row& row, int i) const {
    stored_pack<T, Pack> p;
    RS_UNROLL
    for (int w = 0; w < p.words; ++w) p.word[w] = recall(part[i].word[w], row.team->zero);
    return unpack(p);
  }
};

// Folded: the op text is to use its streamed algorithm (one exchange between the waves) although the row is held.
template <class Share, class Team, keep Keep, bool Folded>
struct register_row {
  static constexpr int packs = Share::packs;
  static constexpr int pack_size = Share::pack_size;
  static constexpr bool streamed = Folded;

  Share share;
  Team* team;
  bool writes;  // false where a team without a row of its own computes a neighbour's again

  template <class S>
  RS_MEMBER stored_pack<typename S::type, pack_size> words(const S& x, int i) const {
    if (share.inside(i) || may_read_over(x, i))
      return x.template read<pack_size, reuse::once>(share.start(), share.step(i));
    stored_pack<typename S::type, pack_size> r{};
    RS_UNROLL
    for (int k = 0; k < pack_size; ++k) {
      if (share.has(i, k)) r.set_element(k, x.read_element(share.first(i) + k));
    }
    return r;
  }

  // Element At of a row of inputs, or of what is mapped from them; every thread of the team reads it.
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

  template <class Op, class E>
  RS_MEMBER float reduce(const E& e) const {
    float total = Op::identity;
    RS_UNROLL
    for (int i = 0; i < packs; ++i) {
      const pack<pack_size> p = e.get(*this, i);
      if (share.inside(i)) {
        total = Op::of(total, reduce_pack<Op>(p));
      } else {
        RS_UNROLL
        for (int k = 0; k < pack_size; ++k) {
          if (share.has(i, k)) total = Op::of(total, p.v[k]);
        }
      }
    }
    return team->template reduce<Op>(total);
  }

  // Inputs into registers, as they are stored: every load is under way before the first use of one.
  template <class E>
  RS_MEMBER auto retain(const E& e) const {
    return retain_some(e, every_pack{});
  }

  // Retains an expression, as floats or as the words it is made of, and reduces it.
  template <class Op, class E>
  RS_MEMBER auto hold(const E& e) const {
    const auto h = retain(e);
    if constexpr (Keep == keep::storage) {
      return kept<decltype(retain(e))>{h, reduce<Op>(h)};
    } else {
      kept<held_values<packs, pack_size>> r;
      RS_UNROLL
      for (int i = 0; i < packs; ++i) r.expr.part[i] = h.get(*this, i);
      r.value = reduce<Op>(r.expr);
      return r;
    }
  }

  // Keeps an expression whose values storage type S holds, for several passes: as floats, or as words of S.
  template <class S, class E>
  RS_MEMBER auto keep_as(const E& e) const {
    if constexpr (Keep == keep::values) {
      const auto h = retain(e);
      held_values<packs, pack_size> r;
      RS_UNROLL
      for (int i = 0; i < packs; ++i) r.part[i] = h.get(*this, i);
      return r;
    } else if constexpr (is_source<E>) {
      return retain(e);
    } else {
      held_storage<S, packs, pack_size> r;
      RS_UNROLL
      for (int i = 0; i < packs; ++i) r.part[i] = stored<S>(e.get(*this, i));
      return r;
    }
  }

  static constexpr RS_MEMBER auto width() { return Share::width; }

  // Is v true for this row, or for one whose reductions have to be taken part in?
  RS_MEMBER bool any(bool v) const { return team->any(v); }

  // Each wave makes the state of what it holds; the team merges them.
  template <class State, class E>
  RS_MEMBER auto fold(const E& e) const {
    lane_team<wave_size> wave;
    const register_row<Share, lane_team<wave_size>, Keep, Folded> part{share, &wave, false};
    return team->template merge<State>(State::of(part, e));
  }

  template <class T, class Inner, int Align, reuse Wanted, class E>
  RS_MEMBER void store(const target<T, Inner, Align, Wanted>& y, const E& e) const {
    RS_UNROLL
    for (int i = 0; i < packs; ++i) {
      store_pack_of(y, i, stored_piece<T>(*this, e, i));
    }
  }

  // Two results at once: either may take the place of what both are made of.
  template <class T, class Inner, int Align, reuse Wanted, class E, class Y2, class E2>
  RS_MEMBER void store_two(const target<T, Inner, Align, Wanted>& y, const E& e, const Y2& y2, const E2& e2) const {
    RS_UNROLL
    for (int i = 0; i < packs; ++i) {
      const stored_pack<T, pack_size> p = stored<T>(e.get(*this, i));
      const auto p2 = stored<typename Y2::type>(e2.get(*this, i));
      store_pack_of(y, i, p);
      store_pack_of(y2, i, p2);
    }
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

  // y is x, bit for bit where their types agree. Every load is under way before the first store.
  template <class T, class Inner, int Align, reuse Wanted, class S>
  RS_MEMBER void copy(const target<T, Inner, Align, Wanted>& y, const S& x) const {
    if constexpr (same<T, typename S::type>) {
      stored_pack<T, pack_size> p[packs];
      RS_UNROLL
      for (int i = 0; i < packs; ++i) p[i] = words(x, i);
      RS_UNROLL
      for (int i = 0; i < packs; ++i) {
        store_pack_of(y, i, p[i]);
      }
    } else {
      store(y, retain(x));
    }
  }

  // e is added to the sums of the row's columns, with Kahan's compensation. REQUIRES: no window.
  template <class E>
  RS_MEMBER void accumulate(float* sum, float* lost, const E& e) const {
    RS_UNROLL
    for (int i = 0; i < packs; ++i) {
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
  // The window at an end of the row, where the neighbours' elements in it may be read: one load in place of several,
  // and nobody waits for them one after the other.
  template <class S>
  RS_MEMBER bool may_read_over(const S& x, int i) const {
    if constexpr (Share::windowed && is_contiguous<S>) {
      return share.first(i) < 0 ? x.rows_before : share.first(i) < share.width && x.rows_behind;
    } else {
      return false;
    }
  }

  template <class T, class Inner, int Align, reuse Wanted>
  RS_MEMBER void store_pack_of(const target<T, Inner, Align, Wanted>& y, int i,
                               const stored_pack<T, pack_size>& p) const {
    if (!same<Inner, in_shared> && !writes) return;  // a tile in shared memory has room for it
    if (share.inside(i)) {
      y.write(share.start(), share.step(i), p);
    } else {
      RS_UNROLL
      for (int k = 0; k < pack_size; ++k) {
        if (share.has(i, k)) y.write_element(share.first(i) + k, p.element(k));
      }
    }
  }

  // Of an input those packs that are worth reading; the others are zeros.
  template <class T, class Inner, int Align, reuse Wanted, bool Picked, class Which>
  RS_MEMBER auto retain_some(const source<T, Inner, Align, Wanted, Picked>& x, Which which) const {
    if constexpr (same<Inner, broadcast>) {
      return held_element{to_float(x.read_element(0))};
    } else {
      held_storage<T, packs, pack_size> h;
      RS_UNROLL
      for (int i = 0; i < packs; ++i) {
        if (which.wants(share.first(i))) {
          h.part[i] = words(x, i);
        } else {
          h.part[i] = {};
        }
      }
      return h;
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

  // By halves: a short chain of dependent operations.
  template <class Op>
  static RS_MEMBER float reduce_pack(const pack<pack_size>& p) {
    float v[pack_size];
    RS_UNROLL
    for (int k = 0; k < pack_size; ++k) v[k] = p.v[k];
    return by_halves<Op>(v);
  }
};

}  // namespace rs
