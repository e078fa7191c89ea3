// request: one call as the front doors see it, before anything was looked at.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "model/op.h"
#include "rowsmith/expression_id.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct operand {
  role what = role::x;
  std::int8_t rows_from = -1;  // the operand (of role index) that says which of this one's rows is meant; -1: none
  tensor_view view;            // inputs are only read, whatever the type says
};

// Of a device: forms and keys keep it in 16 bits.
inline constexpr std::int32_t largest_device_index = 0xffff;

// How a call may be answered.
enum request_flags : std::uint8_t {
  request_deterministic = 1,     // by the specialized kernel at once: nothing stands in for it meanwhile
  request_capture_fallback = 2,  // in a capture, an unknown kernel's place is taken by the fallback
  request_checked = 4,           // row indices are looked at before the launch; the call waits for its stream
  // These two name a class of kernels. With neither width the call takes what is there: see call/widths.h.
  request_batch_invariant = 8,  // implies request_deterministic
  request_exact_width = 16,
  request_any_width = 32,
};

struct request {
  op_id op = op_id::none;
  int operand_count = 0;
  int axis = -1;                 // along what the op runs: see `reduces` in the op table
  std::uint64_t options = 0;     // the op's own bits, baked into the kernel (see the op's row in the op table)
  std::uint8_t flags = 0;        // request_flags
  expression_id pre;             // what the op's x is: an expression of arg(0) = x, arg(1) = in1, …; none: x itself
  expression_id post;            // what is stored: an expression of arg(0) = the op's result, arg(1) = in1, …
  float param[max_params] = {};  // run-time scalars
  void* workspace = nullptr;     // the caller's; null: the library finds its own
  std::size_t workspace_bytes = 0;
  stream on;
  union {  // left raw: a call fills only the operands it has, and is too short to clear the rest
    operand operands[max_operands];
  };

  request() noexcept {}

  void add(role what, const tensor_view& view, int rows_from = -1) noexcept { add(what, &view, rows_from); }
  void add(role what, const const_tensor_view& view, int rows_from = -1) noexcept { add(what, &view, rows_from); }

 private:
  // Copies the view once: it is 150 bytes, and a call has not the time for two.
  template <class View>
  void add(role what, const View* view, int rows_from) noexcept {
    static_assert(std::is_trivially_copyable_v<View> && sizeof(View) == sizeof(tensor_view), "one layout");
    operand& o = operands[operand_count++];
    o.what = what;
    o.rows_from = static_cast<std::int8_t>(rows_from);
    std::memcpy(static_cast<void*>(&o.view), view, sizeof *view);
  }
};

}  // namespace rowsmith
