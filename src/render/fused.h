// fused: a row op with expressions before and behind it, as one functor.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/fused.h"

namespace rowsmith {

struct fused_functor {
  std::string text;   // the expressions' functors, and `fused`
  std::string begin;  // begin + "args" + end makes a value of it
  std::string end;
};

// `roles`: what the functor is called with behind the row. REQUIRES: is_fused(c), and both expressions interned.
fused_functor fuse(const shape_class& c, std::string_view algorithm, std::span<const std::string_view> roles);

}  // namespace rowsmith
