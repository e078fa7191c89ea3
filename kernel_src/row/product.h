// What is stored of an expression. A product with one number for the whole row waits for the store where the machine
// multiplies, rounds and packs in one step.
#pragma once

#include "row/expr.h"
#include "row/pack.h"

namespace rs {

// A function that ends in such a product: f(x) = f.factor_of(x) * f.scale.
template <class F, class = void>
inline constexpr bool ends_in_product = false;
template <class F>
inline constexpr bool ends_in_product<F, decltype(void(F::has_scale))> = true;

template <class T, class = void>
inline constexpr bool rounds_products = false;
template <class T>
inline constexpr bool rounds_products<T, decltype(void(storage<T>::pair_of_products(0.0f, 0.0f, 0.0f)))> = true;

// Piece i of e, as it is stored in T.
template <class T, class Row, class E>
RS_DEVICE auto stored_piece(const Row& row, const E& e, int i) {
  return stored<T>(e.get(row, i));
}
template <class T, class Row, class F, class E>
RS_DEVICE auto stored_piece(const Row& row, const mapped<F, E>& e, int i) {
  if constexpr (ends_in_product<F> && rounds_products<T> && Row::pack_size % 2 == 0) {
    const F f = e.rest.f;
    const pack<Row::pack_size> p = e.a.get(row, i);
    stored_pack<T, Row::pack_size> r;
    RS_UNROLL
    for (int k = 0; k < r.words; ++k) {
      r.word[k] = storage<T>::pair_of_products(f.factor_of(p.v[2 * k]), f.factor_of(p.v[2 * k + 1]), f.scale);
    }
    return r;
  } else {
    return stored<T>(e.get(row, i));
  }
}

}  // namespace rs
