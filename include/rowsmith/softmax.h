// softmax, log_softmax and their gradients, along any one axis. What is common to all ops: ops.h.
//
// A row is what lies along the axis. Its logits are z = fl(fl(fl(x * scale) + mask) + bias), each step rounded to f32
// as if it had been stored, and -inf where a mask or the causal limit removes a position, whatever that holds. Of them:
//
//   softmax      y = exp(z - m) / S          m = max(z), S = sum of exp(z - m)
//   log_softmax  y = z - m - log(S)
//   lse          m + log(S)
//
// (M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", arXiv:1805.02867; the gradients are those
// of PyTorch's _softmax_backward_data and _log_softmax_backward_data.) How far off a result may be: docs/numerics.md.
#pragma once

#include <cstdint>

#include "rowsmith/export.h"
#include "rowsmith/row_options.h"
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
  // See row_options.h.
  width_mode width_as = width_mode::automatic;
  bool batch_invariant_rows = false;
  bool masked_rows = false;
  float scale_factor = 1;

  softmax_options& axis(int a) noexcept { return axis_index = a, *this; }
  softmax_options& exp(exp_mode m) noexcept { return exponential = m, *this; }
  softmax_options& deterministic(bool on = true) noexcept { return deterministic_answer = on, *this; }
  softmax_options& capture_fallback(bool on = true) noexcept { return fallback_in_capture = on, *this; }
  softmax_options& width(width_mode m) noexcept { return width_as = m, *this; }
  softmax_options& batch_invariant(bool on = true) noexcept { return batch_invariant_rows = on, *this; }
  // x is multiplied by it first; in a gradient, dx is. A run-time number: another value compiles nothing anew, but 1
  // and any other are different kernels.
  softmax_options& scale(float s) noexcept { return scale_factor = s, *this; }
  // A row of which nothing survives is all 0 instead of NaN, and has no gradient.
  softmax_options& masked(bool on = true) noexcept { return masked_rows = on, *this; }
};

// What the elements of a mask say. keep: other than 0 takes part; drop: other than 0 is removed; additive: added to x.
enum class mask_form : std::uint8_t { none = 0, keep = 1, drop = 2, additive = 3 };

// What a softmax may have beside x and y. Views are copied; none is there until it is set. Every one but lse and rows
// has a shape that broadcasts to y's: right-aligned, axes of 1 or left-out leading ones repeat; any strides, also 0.
struct softmax_inputs {
  std::uint32_t struct_size = sizeof(softmax_inputs);
  mask_form form = mask_form::none;
  bool has_bias = false, has_lse = false, has_rows = false, is_causal = false;
  std::int64_t causal_offset = 0;
  const_tensor_view mask_view, bias_view, rows_view;
  tensor_view lse_view;

  // One mask: the last of these three that is called. keep and drop: b8, f32, f16 or bf16 (NaN counts as other than 0);
  // additive: f32, f16 or bf16, and an element of -inf removes its position, except under a NaN or
  // an infinity of the other sign, which it makes NaN.
  softmax_inputs& keep(const const_tensor_view& mask) noexcept { return set(mask_form::keep, mask); }
  softmax_inputs& drop(const const_tensor_view& mask) noexcept { return set(mask_form::drop, mask); }
  softmax_inputs& additive(const const_tensor_view& mask) noexcept { return set(mask_form::additive, mask); }

  // Added after the mask: f32, f16 or bf16.
  softmax_inputs& bias(const const_tensor_view& b) noexcept { return bias_view = b, has_bias = true, *this; }

  // Position j of the softmax's axis takes part for query i, the index along the axis before it, when j <= i + offset.
  // 0 is aligned at the top left; keys - queries at the bottom right. Where no axis comes before it, there is one
  // query, 0. What does not take part is not read.
  softmax_inputs& causal(std::int64_t offset = 0) noexcept { return causal_offset = offset, is_causal = true, *this; }

  // Output: the log-sum-exp of every row, f32, of y's shape with 1 along the axis, or without the axis. NaN for a row
  // with a NaN or +inf; -inf for one of which nothing survives, in either mode.
  softmax_inputs& lse(const tensor_view& l) noexcept { return lse_view = l, has_lse = true, *this; }

  // x is a table [rows, width], and row r of y is made of row rows[r] of it: i32 or i64, of y's shape with 1 along the
  // axis, or without the axis. -1 and any other number that is not a row of the table gives a row of +0 (lse: -inf).
  softmax_inputs& rows(const const_tensor_view& index) noexcept { return rows_view = index, has_rows = true, *this; }

 private:
  softmax_inputs& set(mask_form f, const const_tensor_view& mask) noexcept { return mask_view = mask, form = f, *this; }
};

// y = softmax of x.
//   x: f32, f16 or bf16, rank 1 to 8.   y: the shape and device of x; f32, f16 or bf16, not necessarily x's.
//   A row that holds a NaN or +inf is all NaN, as in PyTorch; so is one that holds nothing but -inf, unless
//   options.masked().
//   Zero elements: success, nothing is launched.
// Errors: invalid_argument (names the argument, what was found, what is allowed), unsupported, not_found (no such
// device or no library for it), would_compile, compile_failed (only where no fallback can answer), device_error.
ROWSMITH_EXPORT status softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options = {},
                               stream on = {});

// In place.
ROWSMITH_EXPORT status softmax(const tensor_view& x, const softmax_options& options = {}, stream on = {});

// With masks and what else `inputs` names. Errors: as above; also invalid_argument for an additive mask of b8.
ROWSMITH_EXPORT status softmax(const const_tensor_view& x, const softmax_inputs& inputs, const tensor_view& y,
                               const softmax_options& options = {}, stream on = {});

// y = log_softmax of x: everything as for softmax. A removed position is -inf; a row of which nothing survives is NaN,
// or 0 with options.masked().
ROWSMITH_EXPORT status log_softmax(const const_tensor_view& x, const tensor_view& y,
                                   const softmax_options& options = {}, stream on = {});
ROWSMITH_EXPORT status log_softmax(const tensor_view& x, const softmax_options& options = {}, stream on = {});
ROWSMITH_EXPORT status log_softmax(const const_tensor_view& x, const softmax_inputs& inputs, const tensor_view& y,
                                   const softmax_options& options = {}, stream on = {});

// dx = scale * y * (dy - sum(y * dy)), the gradient of y = softmax(scale * x): products and sums in f32, one rounding.
//   y, dy, dx: one shape and device; f32, f16 or bf16 each. dx may be y or dy.
//   With options.masked() a position where y is 0 takes no part, whatever dy holds there: its gradient is 0.
// Errors: as softmax.
ROWSMITH_EXPORT status softmax_backward(const const_tensor_view& y, const const_tensor_view& dy, const tensor_view& dx,
                                        const softmax_options& options = {}, stream on = {});

// dx = scale * (dy - exp(y) * sum(dy)), the gradient of y = log_softmax(scale * x). As softmax_backward; with
// options.masked() it is positions of -inf, and rows of nothing but 0 (of more than one element), that take no part.
ROWSMITH_EXPORT status log_softmax_backward(const const_tensor_view& y, const const_tensor_view& dy,
                                            const tensor_view& dx, const softmax_options& options = {}, stream on = {});

}  // namespace rowsmith
