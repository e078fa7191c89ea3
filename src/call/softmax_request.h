// softmax_request: the requests of the softmax family; also what explain looks at.
#pragma once

#include "base/failure.h"
#include "call/causal_view.h"
#include "call/common_options.h"
#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/softmax.h"
#include "rowsmith/status.h"

namespace rowsmith {

// Are the options ones that this version knows?
inline status check(const softmax_options& options) noexcept {
  if (options.struct_size != sizeof(softmax_options)) [[unlikely]] {
    return failure(code::invalid_argument, "options.struct_size: is {}, this version has {}", options.struct_size,
                   sizeof(softmax_options));
  }
  if (options.exponential > exp_mode::accurate) [[unlikely]] {
    return failure(code::invalid_argument, "options.exponential: is {}, 0, 1 and 2 are allowed",
                   static_cast<int>(options.exponential));
  }
  return check_width(options.width_as);
}

// Of an op whose result is `out`, without operands.
inline request start_softmax_request(op_id op, dtype out, const softmax_options& options, stream on) noexcept {
  request r;
  r.op = op;
  r.axis = options.axis_index;
  const bool accurate =
      options.exponential == exp_mode::accurate || (options.exponential == exp_mode::by_output && out == dtype::f32);
  r.options = accurate ? option_accurate_exp : 0;
  if (options.masked_rows) r.options |= option_masked;
  if (options.scale_factor != 1) {
    r.options |= option_scaled;
    r.param[first_op_param] = options.scale_factor;
  }
  r.flags = flags_of(options);
  r.on = on;
  return r;
}

inline request softmax_request(const const_tensor_view& x, const tensor_view& y, const softmax_options& options,
                               stream on, op_id op = op_id::softmax) noexcept {
  request r = start_softmax_request(op, y.dtype, options, on);
  r.add(role::x, x);
  r.add(role::y, y);
  return r;
}

// Are they inputs that this version knows, and that fit one another?
inline status check(const softmax_inputs& inputs) noexcept {
  if (inputs.struct_size != sizeof(softmax_inputs)) {
    return failure(code::invalid_argument, "inputs.struct_size: is {}, this version has {}", inputs.struct_size,
                   sizeof(softmax_inputs));
  }
  if (inputs.form > mask_form::additive) {
    return failure(code::invalid_argument, "inputs.form: is {}, 0 to 3 are allowed", static_cast<int>(inputs.form));
  }
  if (inputs.form == mask_form::additive && inputs.mask_view.dtype == dtype::b8) {
    return status(code::invalid_argument, "mask: dtype is b8, an additive mask is f32, f16 or bf16");
  }
  return {};
}

// REQUIRES: check(options) and check(inputs, …) passed.
inline request softmax_request(const const_tensor_view& x, const softmax_inputs& inputs, const tensor_view& y,
                               const softmax_options& options, stream on, op_id op = op_id::softmax) noexcept {
  request r = start_softmax_request(op, y.dtype, options, on);
  const bool masks = inputs.form != mask_form::none;
  const int index = 2 + masks + inputs.has_bias + inputs.is_causal + inputs.has_lse;
  r.options |= static_cast<std::uint64_t>(inputs.form) << option_mask_form;
  r.add(role::x, x, inputs.has_rows ? index : -1);
  if (masks) r.add(role::mask, inputs.mask_view);
  if (inputs.has_bias) r.add(role::bias, inputs.bias_view);
  if (inputs.is_causal) r.add(role::causal, causal_view(y, options.axis_index, inputs.causal_offset));
  r.add(role::y, y);
  if (inputs.has_lse) r.add(role::lse, inputs.lse_view);
  if (inputs.has_rows) r.add(role::index, inputs.rows_view);
  return r;
}

// Which exponential a gradient takes is no question for softmax, which has none.
inline request softmax_backward_request(const const_tensor_view& y, const const_tensor_view& dy, const tensor_view& dx,
                                        const softmax_options& options, stream on,
                                        op_id op = op_id::softmax_backward) noexcept {
  request r = start_softmax_request(op, dx.dtype, options, on);
  if (op == op_id::softmax_backward) r.options &= ~option_accurate_exp;
  r.add(role::y, y);
  r.add(role::dy, dy);
  r.add(role::dx, dx);
  return r;
}

}  // namespace rowsmith
