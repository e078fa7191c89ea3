// expression_text: an expression as functors of kernel_src, one an output.
#pragma once

#include <string>
#include <string_view>

#include "rowsmith/expr.h"

namespace rowsmith {

// What functor_text's answer needs of kernel_src, after the machine's header.
constexpr std::string_view functor_header = "row/math.h";

// For every output n of the expression
//
//   struct NAME_n {
//     float p0, p1, p2, p3;
//     template <class T> RS_MEMBER T operator()(T a0, T a2) const { … }
//   };
//
// T is a float or, on the host, a pack. The call takes the arguments that output n is made of and no others, in the
// order of their numbers (expression::arguments_of); where that is none, T is given: f.template operator()<T>().
// Every word is one statement, so that a compiler without contraction keeps every rounding.
std::string functor_text(const expression& e, std::string_view name);

}  // namespace rowsmith
