// One element of a row instead of a pack of them: values that are the same for the whole row, and the row's first.
#pragma once

#include "row/operand.h"

namespace rs {

// An input of which a row has one element, read once.
struct held_element {
  float value;
  template <class Row>
  RS_MEMBER auto get(const Row&, int) const {
    pack<Row::pack_size> p;
    RS_UNROLL
    for (int k = 0; k < Row::pack_size; ++k) p.v[k] = value;
    return p;
  }
};

// The row that is nothing but its element At: an expression that is asked for a pack of it evaluates there.
template <int At>
struct single_element {
  static constexpr int pack_size = 1;
  template <class S>
  RS_MEMBER stored_pack<typename S::type, 1> words(const S& x, int) const {
    stored_pack<typename S::type, 1> r;
    r.word[0] = 0;
    r.set_element(0, x.read_element(At));
    return r;
  }
};

}  // namespace rs
