// The ops' front doors: options and views become a request.
#include "rowsmith/ops.h"

#include "call/dispatch.h"
#include "call/softmax_request.h"
#include "rowsmith/runtime.h"

namespace rowsmith {

status softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options, stream on) {
  if (status s = check(options); !s.ok()) return s;
  return dispatch(softmax_request(x, y, options, on));
}

status prepare_softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options) {
  if (status s = check(options); !s.ok()) return s;
  return prepare(softmax_request(x, y, options, {}));
}

status softmax(const tensor_view& x, const softmax_options& options, stream on) {
  return softmax(const_tensor_view(x), x, options, on);
}

}  // namespace rowsmith
