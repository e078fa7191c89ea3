// request: one call as the front doors see it, before anything was looked at.
#pragma once

#include <cstdint>

#include "model/op.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct operand {
  role what = role::x;
  tensor_view view;  // inputs are only read, whatever the type says
};

struct request {
  op_id op = op_id::none;
  int operand_count = 0;
  int axis = -1;                    // the reduced axis, negative from the last
  std::uint64_t options = 0;        // the op's own bits, baked into the kernel (see the op's row in the op table)
  float param[max_params] = {};     // the op's run-time scalars
  operand operands[max_operands];
  stream on;

  void add(role what, const tensor_view& view) noexcept { operands[operand_count++] = {what, view}; }
  void add(role what, const const_tensor_view& view) noexcept {
    tensor_view v;
    v.data = const_cast<void*>(view.data);
    v.dtype = view.dtype;
    v.device = view.device;
    v.rank = view.rank;
    for (int i = 0; i < max_rank; ++i) v.shape[i] = view.shape[i], v.stride[i] = view.stride[i];
    add(what, v);
  }
};

}  // namespace rowsmith
