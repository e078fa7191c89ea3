// The norms' front doors: options and views become a request.
#include "rowsmith/norm.h"

#include "call/dispatch.h"
#include "call/norm_request.h"

namespace rowsmith {

namespace {

status run(const result<request>& r) { return r ? dispatch(*r) : r.status(); }

}  // namespace

status layer_norm(const const_tensor_view& x, const tensor_view& y, const norm_inputs& more,
                  const norm_options& options, stream on) {
  return run(norm_request(op_id::layer_norm, x, nullptr, y, more, options, on));
}

status layer_norm(const const_tensor_view& x, const tensor_view& y, const norm_options& options, stream on) {
  return layer_norm(x, y, norm_inputs{}, options, on);
}

status rms_norm(const const_tensor_view& x, const tensor_view& y, const norm_inputs& more, const norm_options& options,
                stream on) {
  return run(norm_request(op_id::rms_norm, x, nullptr, y, more, options, on));
}

status rms_norm(const const_tensor_view& x, const tensor_view& y, const norm_options& options, stream on) {
  return rms_norm(x, y, norm_inputs{}, options, on);
}

status add_layer_norm(const const_tensor_view& x, const const_tensor_view& residual, const tensor_view& y,
                      const norm_inputs& more, const norm_options& options, stream on) {
  return run(norm_request(op_id::add_layer_norm, x, &residual, y, more, options, on));
}

status add_rms_norm(const const_tensor_view& x, const const_tensor_view& residual, const tensor_view& y,
                    const norm_inputs& more, const norm_options& options, stream on) {
  return run(norm_request(op_id::add_rms_norm, x, &residual, y, more, options, on));
}

status layer_norm_backward(const const_tensor_view& x, const const_tensor_view& dy, const norm_gradients& gradients,
                           const norm_options& options, stream on) {
  return run(norm_backward_request(op_id::layer_norm_backward, x, dy, gradients, options, on));
}

status rms_norm_backward(const const_tensor_view& x, const const_tensor_view& dy, const norm_gradients& gradients,
                         const norm_options& options, stream on) {
  return run(norm_backward_request(op_id::rms_norm_backward, x, dy, gradients, options, on));
}

}  // namespace rowsmith
