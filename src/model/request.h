// request: one call as the front doors see it, before anything was looked at.
#pragma once

#include <bit>
#include <cstdint>
#include <new>

#include "model/op.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct operand {
  role what = role::x;
  tensor_view view;  // inputs are only read, whatever the type says
};

// How a call may be answered; no part of what kernel it gets.
enum request_flags : std::uint8_t {
  request_deterministic = 1,     // by the specialized kernel at once: nothing stands in for it meanwhile
  request_capture_fallback = 2,  // in a capture, an unknown kernel's place is taken by the fallback
};

struct request {
  op_id op = op_id::none;
  int operand_count = 0;
  int axis = -1;                 // the reduced axis, negative from the last
  std::uint64_t options = 0;     // the op's own bits, baked into the kernel (see the op's row in the op table)
  std::uint8_t flags = 0;        // request_flags
  float param[max_params] = {};  // the op's run-time scalars
  stream on;
  union {  // left raw: a call fills only the operands it has, and is too short to clear the rest
    operand operands[max_operands];
  };

  request() noexcept {}

  void add(role what, const tensor_view& view) noexcept { ::new (&operands[operand_count++]) operand{what, view}; }
  void add(role what, const const_tensor_view& view) noexcept {
    static_assert(sizeof(tensor_view) == sizeof(const_tensor_view), "one layout");
    add(what, std::bit_cast<tensor_view>(view));
  }
};

}  // namespace rowsmith
