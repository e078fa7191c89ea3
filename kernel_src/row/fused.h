// Elementwise work behind a row op: what the op stores goes through one more function on its way, together with other
// inputs, at no trip through memory. (Work before the op is a `map` over its inputs.)
#pragma once

#include "row/expr.h"

namespace rs {

// An output that stores after(e, more…) where an op stores e.
template <class Y, class After, class... More>
struct finished {
  using type = typename Y::type;
  Y y;
  mapped<After, More...> rest;

  template <class E>
  RS_MEMBER auto of(const E& e) const {
    return mapped<After, E, More...>{e, rest};
  }
};

template <class Y, class After, class... More>
RS_DEVICE finished<Y, After, More...> finish(Y y, After after, More... more) {
  return {y, map(after, more...)};
}

}  // namespace rs
