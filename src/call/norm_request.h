// norm_request: the requests of the norms and their backwards, from what the front doors are given.
#pragma once

#include "model/request.h"
#include "rowsmith/norm.h"
#include "rowsmith/status.h"

namespace rowsmith {

// A view that was given: not the one that a default-constructed member holds.
inline bool is_given(const const_tensor_view& v) noexcept { return v.rank != 0 || v.data != nullptr; }

// residual: of the ops that have one, else null.
result<request> norm_request(op_id op, const const_tensor_view& x, const const_tensor_view* residual,
                             const tensor_view& y, const norm_inputs& more, const norm_options& options, stream on);

result<request> norm_backward_request(op_id op, const const_tensor_view& x, const const_tensor_view& dy,
                                      const norm_gradients& gradients, const norm_options& options, stream on);

}  // namespace rowsmith
