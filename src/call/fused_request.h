// fused_request: what a fusion adds to a request.
#pragma once

#include <algorithm>

#include "base/failure.h"
#include "model/request.h"
#include "rowsmith/fusion.h"
#include "rowsmith/status.h"

namespace rowsmith {

inline status check(const fusion& f) noexcept {
  if (f.more_count > fusion::most_arguments) [[unlikely]] {
    return failure(code::invalid_argument, "arguments: {} given, at most {} are taken", f.more_count,
                   fusion::most_arguments);
  }
  return {};
}

// REQUIRES: the op's own operands are in the request; check(f) is OK.
inline void add(const fusion& f, request* r) noexcept {
  r->pre = f.before;
  r->post = f.behind;
  std::copy(std::begin(f.params), std::end(f.params), r->param);
  for (int k = 0; k < f.more_count; ++k) r->add(argument_role(k + 1), f.more[k]);
}

}  // namespace rowsmith
