// The ops: one declaration and one contract each.
//
// Common to all. Views may have any strides; an output may be one of the inputs when base, strides and element size are
// equal, any other overlap is refused. No byte outside a view is read or written. Accumulation is in fp32 with one
// rounding to nearest even per output. A failed call has written nothing. Every function may be called from any number
// of threads. The device comes from the views; `stream` must belong to it.
#pragma once

#include "rowsmith/export.h"
#include "rowsmith/norm.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// How an exponential is computed. fast: exp2((x - max) * log2e), relative error up to u (L + 2 |t|), u = 2^-24,
// t = (x - max) * log2e, L = 16 + 2 log2(width). accurate: the low parts of the difference and of the product are
// added back, u L. by_output: accurate for f32 outputs, fast for 16-bit ones, where it cannot show.
enum class exp_mode : std::uint8_t { by_output = 0, fast = 1, accurate = 2 };

struct softmax_options {
  std::uint32_t struct_size = sizeof(softmax_options);
  std::int32_t axis_index = -1;  // negative counts from the last axis
  exp_mode exponential = exp_mode::by_output;
  // The same bits at every call of the process: under ROWSMITH_COMPILE=background the first call waits for its kernel.
  bool deterministic_answer = false;
  // A stream that is being captured meets a kernel that is not loaded: freeze the scalar fallback into the graph
  // instead of failing with would_compile.
  bool fallback_in_capture = false;

  softmax_options& axis(int a) noexcept { return axis_index = a, *this; }
  softmax_options& exp(exp_mode m) noexcept { return exponential = m, *this; }
  softmax_options& deterministic(bool on = true) noexcept { return deterministic_answer = on, *this; }
  softmax_options& capture_fallback(bool on = true) noexcept { return fallback_in_capture = on, *this; }
};

// y = exp(x - max(x)) / sum(exp(x - max(x))) along one axis.
//   x: f32, f16 or bf16, rank 1 to 8.   y: the shape and device of x; f32, f16 or bf16, not necessarily x's.
//   A row that holds a NaN or +inf, or nothing but -inf, is all NaN, as in PyTorch.
//   Zero elements: success, nothing is launched.
// Errors: invalid_argument (names the argument, what was found, what is allowed), unsupported, not_found (no such
// device or no library for it), would_compile, compile_failed (only where no fallback can answer), device_error.
ROWSMITH_EXPORT status softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options = {},
                               stream on = {});

// In place.
ROWSMITH_EXPORT status softmax(const tensor_view& x, const softmax_options& options = {}, stream on = {});

}  // namespace rowsmith
