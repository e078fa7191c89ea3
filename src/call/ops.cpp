// The ops' front doors: options and views become a request.
#include "rowsmith/ops.h"
#include "rowsmith/runtime.h"

#include "call/dispatch.h"
#include "call/softmax_request.h"

namespace rowsmith {

status softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options, stream on) {
  return dispatch(softmax_request(x, y, options, on));
}

status prepare_softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options) {
  return prepare(softmax_request(x, y, options, {}));
}

status softmax(const tensor_view& x, const softmax_options& options, stream on) {
  return softmax(const_tensor_view(x), x, options, on);
}

}  // namespace rowsmith
