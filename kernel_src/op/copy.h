// copy: y = x. Elements of one type are moved as they are, whatever they hold.
#pragma once

#include "row/arguments.h"

namespace rs {

struct copy {
  scalars given;

  template <class Piece, class X, class Y>
  RS_MEMBER void operator()(const Piece& piece, X x, Y y) const {
    piece.move(y, x);
  }
};

}  // namespace rs
