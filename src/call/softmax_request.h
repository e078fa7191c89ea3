// softmax_request: the request of one softmax call; also what explain looks at.
#pragma once

#include <fmt/format.h>

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/ops.h"
#include "rowsmith/status.h"

namespace rowsmith {

// Are the options ones that this version knows?
inline status check(const softmax_options& options) noexcept {
  if (options.struct_size != sizeof(softmax_options)) [[unlikely]] {
    return status(code::invalid_argument, fmt::format("options.struct_size: is {}, this version has {}",
                                                      options.struct_size, sizeof(softmax_options)));
  }
  if (options.exponential > exp_mode::accurate) [[unlikely]] {
    return status(code::invalid_argument, fmt::format("options.exponential: is {}, 0, 1 and 2 are allowed",
                                                      static_cast<int>(options.exponential)));
  }
  return {};
}

inline request softmax_request(const const_tensor_view& x, const tensor_view& y, const softmax_options& options,
                               stream on) noexcept {
  request r;
  r.op = op_id::softmax;
  r.axis = options.axis_index;
  const bool accurate = options.exponential == exp_mode::accurate ||
                        (options.exponential == exp_mode::by_output && y.dtype == dtype::f32);
  r.options = accurate ? option_accurate_exp : 0;
  if (options.deterministic_answer) r.flags |= request_deterministic;
  if (options.fallback_in_capture) r.flags |= request_capture_fallback;
  r.on = on;
  r.add(role::x, x);
  r.add(role::y, y);
  return r;
}

}  // namespace rowsmith
