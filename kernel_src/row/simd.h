// A row on the host: one thread owns it and walks it in packs; an index is an element offset. The last pack of a width
// that packs do not divide overlaps the one before it, so that no masked access is needed; reductions leave the
// elements that come twice out. A row narrower than a pack is one pack of which only a part is loaded and stored.
#pragma once

#include "row/arguments.h"
#include "row/expr.h"
#include "row/fused.h"
#include "row/reductions.h"
#include "row/simd_operand.h"
#include "row/simd_width.h"
#include "row/slabs.h"

namespace rs {

// What is kept of a row between passes. values: floats, in a scratch row on the stack. storage: only what is in memory
// anyway, expressions are evaluated again. nothing: as storage, and the op takes its streamed algorithm, of fewer
// passes.
enum class keep { values, storage, nothing };

// The scratch row as an expression.
struct scratch_row {
  using type = float;
  static constexpr bool loaded = true;
  const float* data;
  template <class Row>
  RS_MEMBER pack get(const Row&, int o) const {
    return load(data + o);
  }
};

template <class E, class = void>
constexpr bool is_loaded = false;
template <class E>
constexpr bool is_loaded<E, decltype(void(E::loaded))> = true;

// The elements of a pack as a team that reduces (see softmax.h, max_and_sum::across).
struct pack_team {
  template <class Op>
  RS_MEMBER float reduce(pack v) const {
    return across<Op>(v);
  }
};

// The row that is nothing but one element.
struct single_element {
  static constexpr int part = 1;
};

// Elements of one type, which are moved as they are.
template <class A, class B>
constexpr bool same_type = false;
template <class A>
constexpr bool same_type<A, A> = true;
template <class Y, class X>
constexpr bool same_bits = same_type<const typename Y::type, typename X::type>;

struct nothing {
  RS_MEMBER pack operator()(pack) const { return pack{}; }
};

typedef u8 bytes_at __attribute__((vector_size(RS_VECTOR_BYTES), aligned(1), may_alias));

// Geometry: see row/simd_width.h.
template <class Geometry, keep Keep, bool StreamStores, int NextBytes>
struct simd_row : Geometry {
  using Geometry::chains;
  using Geometry::elements;
  using Geometry::odd;
  using Geometry::packs;
  using Geometry::part;
  using Geometry::twice;
  static constexpr bool streamed = Keep == keep::nothing;

  float* scratch;    // the kept row
  const char* next;  // the row to come, NextBytes an element: it is fetched while this one is computed
  bool stream;       // results leave past the caches, where StreamStores allows it

  RS_MEMBER int width() const { return elements; }

  RS_MEMBER int offset(int i) const { return odd != 0 && i == packs - 1 ? elements - pack_size : i * pack_size; }

  // Which elements of pack i count: not those that came before, nor those that are not there.
  RS_MEMBER pack_mask counts(int i) const {
    if (i == packs - 1 && twice != 0) return element_number() >= twice;
    if (i == packs - 1 && part < pack_size) return element_number() < part;
    return pack_mask{} == pack_mask{};
  }

  // v with Op's identity in place of what does not count.
  template <class Op>
  RS_MEMBER pack counted(int i, pack v) const {
    if (i != packs - 1 || (twice == 0 && part == pack_size)) return v;
    return select(counts(i), v, splat(Op::identity));
  }

  // The line of the row to come that pack i of this row lies in; once a line, where i is a constant modulo a few packs.
  RS_MEMBER void fetch_ahead(int i, int o) const {
    constexpr int line_packs = NextBytes == 0 || pack_size * NextBytes > 64 ? 1 : 64 / (pack_size * NextBytes);
    if (NextBytes != 0 && i % line_packs == 0) prefetch(next + static_cast<i64>(o) * NextBytes);
  }

  struct pass_on {
    RS_MEMBER void operator()(int, int, pack) const {}
  };
  struct fetch_next {
    const simd_row& row;
    RS_MEMBER void operator()(int i, int o, pack) const { row.fetch_ahead(i, o); }
  };
  struct keep_it {
    const simd_row& row;
    // Of the last pack what comes twice stays: it may have been made of the scratch row itself, a pack before.
    RS_MEMBER void operator()(int i, int o, pack v) const {
      if constexpr (Keep == keep::values) {
        const bool again = row.twice != 0 && i == row.packs - 1;
        rs::store(row.scratch + o, again ? select(row.counts(i), v, load(row.scratch + o)) : v);
      }
      row.fetch_ahead(i, o);
    }
  };

  // What a + b lost when it was rounded to `total` (Knuth's two-sum). Of an infinite sum nothing is known any more.
  static RS_MEMBER pack rounded_away(pack a, pack b, pack total) {
    const pack b_in = total - a;
    return select(vabs(total) < infinity, (a - (total - b_in)) + (b - b_in), pack{});
  }

  // Op over the row; `each` sees every pack, its number (modulo the unrolling), and its offset. Several accumulators,
  // so that an operation's latency is not waited for.
  template <class Op, class E>
  RS_MEMBER float reduce(E e) const {
    return reduce<Op>(e, fetch_next{*this});
  }
  template <class Op, class E, class Each>
  RS_MEMBER float reduce(E e, Each each) const {
    const int whole = packs - 1;  // the last pack is special
    pack sum[chains];
    RS_UNROLL for (int k = 0; k < chains; ++k) sum[k] = splat(Op::identity);
    const int even = whole / chains * chains;
    constexpr int stretch =
        32 * chains;  // a long row goes by stretches: rounding grows with their length, not the row's
    const bool compensated = even > stretch && !Op::is_max;
    pack lost{};
    for (int begin = 0; begin < even; begin += stretch) {
      pack part[chains];
      RS_UNROLL for (int k = 0; k < chains; ++k) part[k] = splat(Op::identity);
      const int end = begin + stretch < even ? begin + stretch : even;
      RS_UNROLL_BY(2) for (int i = begin; i < end; i += chains) {
        RS_UNROLL for (int k = 0; k < chains; ++k) {
          const pack v = e.get(*this, (i + k) * pack_size);
          each(k, (i + k) * pack_size, v);
          part[k] = Op::of(v, part[k]);
        }
      }
      RS_UNROLL for (int k = 0; k < chains; ++k) {
        const pack total = Op::of(part[k], sum[k]);
        if (compensated) lost = lost + rounded_away(sum[k], part[k], total);
        sum[k] = total;
      }
    }
    // A sum that overflowed is infinite, and what it lost is no number.
    if (compensated) sum[0] = sum[0] + select(lost == lost, lost, pack{});
    RS_UNROLL for (int i = even; i < packs; ++i) {
      const pack v = e.get(*this, offset(i));
      each(i, offset(i), v);
      sum[0] = Op::of(counted<Op>(i, v), sum[0]);
    }
    RS_UNROLL for (int k = 1; k < chains; ++k) sum[0] = Op::of(sum[k], sum[0]);
    return across<Op>(sum[0]);
  }

  // Keeps an expression and reduces it in the same pass. What comes straight from memory stays there.
  template <class Op, class E>
  RS_MEMBER auto hold(E e) const {
    if constexpr (is_loaded<E>) {
      return kept<E>{e, reduce<Op>(e, pass_on{})};
    } else {
      const float value = reduce<Op>(e, keep_it{*this});
      if constexpr (Keep == keep::values) {
        return kept<scratch_row>{{scratch}, value};
      } else {
        return kept<E>{e, value};
      }
    }
  }

  // Keeps an expression for several passes, in the scratch row: one a row. S, its storage type, matters to GPUs alone.
  template <class S, class E>
  RS_MEMBER auto keep_as(E e) const {
    if constexpr (is_loaded<E> || Keep != keep::values) {
      return e;
    } else {
      RS_UNROLL_BY(4) for (int i = 0; i < packs; ++i) rs::store(scratch + offset(i), e.get(*this, offset(i)));
      return scratch_row{scratch};
    }
  }

  RS_MEMBER bool any(bool v) const { return v; }

  // What a streamed algorithm reads more than once: on this machine the caches retain it.
  template <class E>
  RS_MEMBER E retain(E e) const {
    return e;
  }

  // A state over the row in one pass: one for each element of a pack, grown by blocks of packs that share one
  // rescaling, merged at the end. A value of -inf adds nothing to any state.
  template <class State, class E>
  RS_MEMBER auto fold(E e) const {
    auto t = State::template empty<pack>();
    constexpr int block = 8;
    const int even = (packs - 1) / block * block;
    for (int i = 0; i < even; i += block) {
      pack v[block];
      RS_UNROLL for (int k = 0; k < block; ++k) {
        v[k] = e.get(*this, (i + k) * pack_size);
        fetch_ahead(k, (i + k) * pack_size);
      }
      t = State::add(t, v);
    }
    for (int i = even; i < packs; ++i) {
      const pack v[1] = {e.get(*this, offset(i))};
      const pack_mask there[1] = {counts(i)};
      t = State::add_some(t, v, there);
    }
    return State::across(pack_team{}, t);
  }

  // Element At of a row of inputs, or of what is mapped from them.
  template <int At, class E>
  RS_MEMBER float element(E e) const {
    return e.get(single_element{}, At)[0];
  }
  template <class E>
  RS_MEMBER float first(E e) const {
    return element<0>(e);
  }

  // y is x, bit for bit where their types agree.
  template <class Y, class X>
  RS_MEMBER void copy(Y y, X x) const {
    if constexpr (!same_bits<Y, X>) {
      store(y, x);
    } else if (!x.is_there()) {
      store(y, map(nothing{}, x));
    } else if constexpr (X::inner == contiguous && Y::inner == contiguous) {
      constexpr int size = static_cast<int>(sizeof(typename Y::type)), whole = vector_bytes;
      const i64 bytes = i64{elements} * size;
      const u8* from = reinterpret_cast<const u8*>(x.data);
      u8* to = reinterpret_cast<u8*>(y.data);
      i64 at = 0;
      RS_UNROLL_BY(4) for (; at + whole <= bytes; at += whole) {
        *reinterpret_cast<bytes_at*>(to + at) = *reinterpret_cast<const bytes_at*>(from + at);
      }
      for (at /= size; at < elements; ++at) y.data[at] = x.data[at];
    } else {
      for (int i = 0; i < elements; ++i) *y.place(i) = *x.place(i);
    }
  }

  // The number of the first element of the pack at o.
  RS_MEMBER int column(int o) const { return o; }

  // A value of the whole row.
  template <class Y>
  RS_MEMBER void store_one(Y y, float value) const {
    y.put_part(0, splat(value), 0, 1);
  }
  RS_MEMBER void store_one(none, float) const {}

  template <class E>
  RS_MEMBER void store(none, E) const {}
  template <class Y, class After, class... More, class E>
  RS_MEMBER void store(const finished<Y, After, More...>& y, E e) const {
    store(y.y, y.of(e));
  }

  // Two results at once: either may take the place of what both are made of.
  template <class Y, class E, class Y2, class E2>
  RS_MEMBER void store_two(Y y, E e, Y2 y2, E2 e2) const {
    if constexpr (!is_present<Y>) {
      store(y2, e2);
    } else {
      RS_UNROLL_BY(4) for (int i = 0; i < packs; ++i) {
        const pack v = e.get(*this, offset(i)), v2 = e2.get(*this, offset(i));
        const bool whole = part == pack_size && (i != packs - 1 || odd == 0);
        if (whole) {
          y.put(offset(i), v), y2.put(offset(i), v2);
        } else {  // what comes twice was computed from results, where they take the place of inputs
          y.put_part(offset(i), v, twice, part), y2.put_part(offset(i), v2, twice, part);
        }
      }
    }
  }
  template <class Y, class E, class Y2, class After, class... More, class E2>
  RS_MEMBER void store_two(Y y, E e, const finished<Y2, After, More...>& y2, E2 e2) const {
    store_two(y, e, y2.y, y2.of(e2));
  }

  // e is added to the sums of the row's columns, with Kahan's compensation: `lost` holds what was added too much.
  template <class E>
  RS_MEMBER void accumulate(float* sum, float* lost, E e) const {
    for (int i = 0; i < packs; ++i) {
      const int o = offset(i);
      const bool whole = part == pack_size && (i != packs - 1 || odd == 0);
      const pack old = whole ? load(sum + o) : load_part(sum + o, twice, part);
      const pack term = e.get(*this, o) - (whole ? load(lost + o) : load_part(lost + o, twice, part));
      const pack now = old + term;
      const pack rest = select(vabs(now) < infinity, (now - old) - term, pack{});
      if (whole) {
        rs::store(sum + o, now), rs::store(lost + o, rest);
      } else {
        store_part(sum + o, now, twice, part), store_part(lost + o, rest, twice, part);
      }
    }
  }

  template <class Y, class E>
  RS_MEMBER void store(Y y, E e) const {
    if (part < pack_size) {
      y.put_part(0, e.get(*this, 0), 0, part);
    } else {
      if constexpr (StreamStores) {
        static_assert(sizeof(typename Y::type) == 4 && Geometry::whole_lines, "only whole lines leave past the caches");
        if (stream && reinterpret_cast<u64>(y.data) % 64 == 0) {
          RS_UNROLL_BY(4) for (int i = 0; i < packs; ++i) {
            store_streamed(y.data + i * pack_size, e.get(*this, i * pack_size));
          }
          return;
        }
      }
      const int full = odd == 0 ? packs : packs - 1;
      RS_UNROLL_BY(4) for (int i = 0; i < full; ++i) y.put(i * pack_size, e.get(*this, i * pack_size));
      // Not the whole last pack: in place, and with nothing kept, its first elements were computed from results.
      if (odd != 0) y.put_part(elements - pack_size, e.get(*this, elements - pack_size), twice, pack_size);
    }
  }
};

// Results of a call of fewer bytes stay in the caches for whoever reads them next.
constexpr i64 stream_from_bytes = 8 << 20;

// A scratch row lives on the stack of whatever thread runs the row: wider rows keep nothing beside their storage.
constexpr i64 largest_scratch = 256 << 10;

// Sums over rows (see row/column_sums.h): those of a chunk of rows go to its slab, whoever runs the chunk.
struct no_sums {
  RS_MEMBER void before(i64) {}
};
template <int Count>
struct slab_sums {
  void* workspace;
  i64 width;
  i64 chunk;
  float* slab;

  template <class Args>
  RS_MEMBER slab_sums(const Args& args, i64 row_width, int rows_per_block, i64 begin)
      : workspace(args.workspace), width(row_width), slab(nullptr) {
    const i64 needed = (args.rows - 1) / args.blocks + 1;  // as src/backend/host/host_kernel.cpp deals rows out
    chunk = needed > rows_per_block ? needed : rows_per_block;
    if (begin == 0) *static_cast<i64*>(workspace) = (args.rows - 1) / chunk + 1;
  }

  RS_MEMBER void before(i64 row) {
    if (row % chunk != 0) return;
    slab = slab_of(workspace, row / chunk, Count, width);
    for (i64 i = 0; i < 2 * Count * width; ++i) slab[i] = 0.0f;
  }

  template <int K, class Row, class E>
  RS_MEMBER void add(const Row& row, E e) {
    row.accumulate(sums_in(slab, K, width), lost_in(slab, K, width), e);
  }
};

template <class Op, class Row, class... O>
RS_DEVICE void run_row(const Op& op, const Row& row, no_sums&, O... o) {
  op(row, o...);
}
template <class Op, class Row, int Count, class... O>
RS_DEVICE void run_row(const Op& op, const Row& row, slab_sums<Count>& sums, O... o) {
  op.with_sums(row, sums, o...);
}

// Rows [begin, end) of a call, one after the other, with Room floats of scratch row. StreamStores: 4-byte outputs whose
// rows are whole cache lines leave past the caches, where their address and the size of the call allow it.
template <class Geometry, keep Held, int Room, bool StreamStores, int RowsPerBlock>
struct simd_rows {
  template <class Args, class Op, class X, class... Rest>
  static RS_MEMBER void run(const Args& args, i64 begin, i64 end, Geometry geometry, Op op, X, Rest... rest) {
    constexpr int count = column_sums_of<Op, operand_list<X, Rest...>>;
    auto sums = [&] {
      if constexpr (count == 0) {
        return no_sums{};
      } else {
        return slab_sums<count>(args, geometry.elements, RowsPerBlock, begin);
      }
    }();
    constexpr int outer = Args::outer_axes;
    // Only elements that lie side by side are worth fetching ahead by lines.
    constexpr int next_bytes = decltype(X::at(args, row_position<outer>(args, 0)))::inner == contiguous
                                   ? static_cast<int>(sizeof(typename X::type))
                                   : 0;
    alignas(64) float scratch[Room];
    const bool stream = StreamStores && args.rows * (geometry.elements * i64{4}) >= stream_from_bytes;
    row_position<outer> here(args, begin), next = here;
    for (i64 row = begin; row < end; ++row) {
      next.step(args);
      if (row + 1 == end) next = here;
      const simd_row<Geometry, Held, StreamStores, next_bytes> r{
          geometry, scratch, reinterpret_cast<const char*>(X::at(args, next).data), stream};
      sums.before(row);
      run_row(op, r, sums, X::at(args, here), rest.at(args, here)...);
      here = next;
    }
    if constexpr (StreamStores) fence_streamed();
  }
};

template <int Width, keep Keep, bool StreamStores, int RowsPerBlock = 1>
struct simd {
  template <class Args, class Op, class... O>
  static RS_MEMBER void run(const Args& args, i64 begin, i64 end, Op op, O... o) {
    constexpr keep held = Keep == keep::values && Width * i64{4} > largest_scratch ? keep::storage : Keep;
    constexpr int room = held == keep::values ? (Width + pack_size - 1) / pack_size * pack_size : pack_size;
    simd_rows<fixed_width<Width>, held, room, StreamStores, RowsPerBlock>::run(args, begin, end, fixed_width<Width>{},
                                                                               op, o...);
  }
};

}  // namespace rs
