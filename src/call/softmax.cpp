// The front doors of the softmax family: options and views become a request.
#include "rowsmith/softmax.h"

#include "call/dispatch.h"
#include "call/softmax_request.h"
#include "rowsmith/runtime.h"

namespace rowsmith {

namespace {

status call(op_id op, const const_tensor_view& x, const tensor_view& y, const softmax_options& options,
            stream on) noexcept {
  if (status s = check(options); !s.ok()) return s;
  return dispatch(softmax_request(x, y, options, on, op));
}

status call(op_id op, const const_tensor_view& x, const softmax_inputs& inputs, const tensor_view& y,
            const softmax_options& options, stream on) noexcept {
  if (status s = check(options); !s.ok()) return s;
  if (status s = check(inputs); !s.ok()) return s;
  return dispatch(softmax_request(x, inputs, y, options, on, op));
}

status call_backward(op_id op, const const_tensor_view& y, const const_tensor_view& dy, const tensor_view& dx,
                     const softmax_options& options, stream on) noexcept {
  if (status s = check(options); !s.ok()) return s;
  return dispatch(softmax_backward_request(y, dy, dx, options, on, op));
}

}  // namespace

status softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options, stream on) {
  return call(op_id::softmax, x, y, options, on);
}

status softmax(const tensor_view& x, const softmax_options& options, stream on) {
  return call(op_id::softmax, const_tensor_view(x), x, options, on);
}

status softmax(const const_tensor_view& x, const softmax_inputs& inputs, const tensor_view& y,
               const softmax_options& options, stream on) {
  return call(op_id::softmax, x, inputs, y, options, on);
}

status log_softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options, stream on) {
  return call(op_id::log_softmax, x, y, options, on);
}

status log_softmax(const tensor_view& x, const softmax_options& options, stream on) {
  return call(op_id::log_softmax, const_tensor_view(x), x, options, on);
}

status log_softmax(const const_tensor_view& x, const softmax_inputs& inputs, const tensor_view& y,
                   const softmax_options& options, stream on) {
  return call(op_id::log_softmax, x, inputs, y, options, on);
}

status softmax_backward(const const_tensor_view& y, const const_tensor_view& dy, const tensor_view& dx,
                        const softmax_options& options, stream on) {
  return call_backward(op_id::softmax_backward, y, dy, dx, options, on);
}

status log_softmax_backward(const const_tensor_view& y, const const_tensor_view& dy, const tensor_view& dx,
                            const softmax_options& options, stream on) {
  return call_backward(op_id::log_softmax_backward, y, dy, dx, options, on);
}

status prepare_softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options) {
  if (status s = check(options); !s.ok()) return s;
  return prepare(softmax_request(x, y, options, {}));
}

}  // namespace rowsmith
