// softmax_request: the request of one softmax call; also what explain looks at.
#pragma once

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/ops.h"

namespace rowsmith {

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
