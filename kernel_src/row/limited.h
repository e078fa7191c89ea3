// An expression that ends somewhere inside the row: what lies behind is a constant, and nothing is read there.
#pragma once

namespace rs {

template <class P>
RS_DEVICE P copied(P piece) {
  return piece;
}

template <class E, class Offset>
struct limited {
  E expr;
  Offset end;  // elements that count, from the row's first one on
  float otherwise;

  template <class Row>
  RS_MEMBER auto get(const Row& row, int i) const {
    using piece = decltype(copied(expr.get(row, i)));
    const Offset left = end - row.column(i);
    if (left <= 0) return first_of(piece{}, 0, otherwise);
    return first_of(copied(expr.get(row, i)), left, otherwise);
  }
};

template <class E, class Offset>
RS_DEVICE limited<E, Offset> limit(E e, Offset end, float otherwise) {
  return {e, end, otherwise};
}

// The same without its end, for whoever sets another.
template <class E>
RS_DEVICE E unlimited(E e) {
  return e;
}
template <class E, class Offset>
RS_DEVICE E unlimited(limited<E, Offset> e) {
  return e.expr;
}

// Which packs of an input are worth reading, by their first element.
struct every_pack {
  template <class Offset>
  RS_MEMBER constexpr bool wants(Offset) const {
    return true;
  }
};
template <class Offset>
struct packs_before {
  Offset end;
  RS_MEMBER bool wants(Offset first) const { return first < end; }
};

}  // namespace rs
