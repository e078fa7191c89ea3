// elementwise: what a rendered expression is made of. Its functors, one an output, and the op that stores them are
// written by src/render/elementwise_text.cpp:
//
//   struct elementwise {
//     scalars given;
//     template <class Piece, class A0, …, class Y, …>
//     RS_MEMBER void operator()(const Piece& piece, A0 a0, …, Y y0, …) const { piece.store(y0, map(…, a0, a2)); … }
//   };
#pragma once

#include "row/expr.h"
#include "row/math.h"

namespace rs {

// A functor of no arguments as one of an argument that it does not look at.
template <class F>
struct always {
  F f;
  template <class T>
  RS_MEMBER T operator()(T) const {
    return f.template operator()<T>();
  }
};

}  // namespace rs
