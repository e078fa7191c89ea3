// The norms: layer norm and RMS norm, with a residual added before or after, and their gradients.
//
// Common to all. A row is the last `trailing` axes of x; its elements are normalized together. Views may have any
// strides; the rules of ops.h hold.
//   weight, bias: the shape of the trailing axes, or x's shape with 1 along all others. Missing: 1 and 0.
//   mean, rstd (outputs): one element a row; x's shape without the trailing axes, or with 1 there.
//   Every tensor is f32, f16 or bf16, each of its own; all arithmetic is in fp32.
//   rows (row index, i32 or i64): x is a table [any number of rows, the trailing axes], and row r of y is made of the
//   table's row rows[r]. An index outside of the table is never made an address: that row of x is zero, and of nothing
//   but such rows comes +0 exactly, not the bias, with mean and rstd 0.
//
// Layer norm works on x - x[0] from load to normalization, two passes on chip where the row can be held, Chan's merge
// (Chan, Golub, LeVeque, The American Statistician 37(3), 1983) where it streams: a row of equal elements gives exactly
// the bias. With L = 16 + 2 log2(width), u = 2^-24 and R = max |x - x[0]| an element is within half a unit in the last
// place of y's type plus u L (|w| rstd R + |y| + |b|) of the true value; RMS norm within u L (|y| + |b|).
// A variance (mean square) that overflows fp32 gives rstd 0 and y = bias. A NaN or an infinity makes a layer-normed row
// NaN; RMS norm gives NaN for a row with a NaN, and for an infinity NaN in its place and the bias elsewhere.
//
// Errors: invalid_argument (names the argument, what was found, what is allowed; also for eps that is not positive),
// unsupported, not_found (no such device or no library for it), would_compile, compile_failed (only where no fallback
// can answer), out_of_memory (workspace), device_error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rowsmith/export.h"
#include "rowsmith/row_options.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// What a weight's element stands for: w, or 1 + w (computed in fp32), as some models store it.
enum class weight_form : std::uint8_t { alone = 0, one_plus = 1 };

// Where the normalized value is rounded: once, when y is stored; or also to x's dtype before the weight multiplies it.
enum class norm_cast : std::uint8_t { last = 0, before_weight = 1 };

// What the norm of x + residual reads: the sum as it is stored, rounded to the dtype of `sum` (of x, where no sum is
// stored), which is what separate ops do; or the fp32 sum.
enum class residual_rounding : std::uint8_t { storage = 0, fp32 = 1 };

// norm(x + residual), or residual + norm(x).
enum class residual_order : std::uint8_t { first = 0, last = 1 };

struct norm_options {
  std::uint32_t struct_size = sizeof(norm_options);
  std::int32_t trailing_axes = 1;  // 1 to the rank
  float epsilon = 1e-5f;           // above 0; added to the variance (mean square) inside the square root
  weight_form weight_as = weight_form::alone;
  norm_cast cast_at = norm_cast::last;
  residual_rounding rounding = residual_rounding::storage;  // of the forms with a residual
  residual_order order = residual_order::first;             // of the forms with a residual
  // The same bits at every call of the process: under ROWSMITH_COMPILE=background the first call waits for its kernel.
  bool deterministic_answer = false;
  // A stream that is being captured meets a kernel that is not loaded: freeze the scalar fallback into the graph
  // instead of failing with would_compile.
  bool fallback_in_capture = false;
  // See row_options.h.
  width_mode width_as = width_mode::automatic;
  bool batch_invariant_rows = false;
  // Memory for the weight gradients' partial sums; null: from the device's stream-ordered pool.
  void* workspace_pointer = nullptr;
  std::size_t workspace_bytes = 0;

  norm_options& trailing(int axes) noexcept { return trailing_axes = axes, *this; }
  norm_options& eps(float e) noexcept { return epsilon = e, *this; }
  norm_options& weight(weight_form f) noexcept { return weight_as = f, *this; }
  norm_options& cast(norm_cast c) noexcept { return cast_at = c, *this; }
  norm_options& round_residual(residual_rounding r) noexcept { return rounding = r, *this; }
  norm_options& residual(residual_order o) noexcept { return order = o, *this; }
  norm_options& deterministic(bool on = true) noexcept { return deterministic_answer = on, *this; }
  norm_options& capture_fallback(bool on = true) noexcept { return fallback_in_capture = on, *this; }
  norm_options& width(width_mode m) noexcept { return width_as = m, *this; }
  norm_options& batch_invariant(bool on = true) noexcept { return batch_invariant_rows = on, *this; }
  norm_options& workspace(void* pointer, std::size_t bytes) noexcept {
    return workspace_pointer = pointer, workspace_bytes = bytes, *this;
  }
};

// What a norm has beside x and y; a view without rank is not there.
struct norm_inputs {
  const_tensor_view weight_view, bias_view;
  tensor_view mean_view, rstd_view;
  const_tensor_view rows_view;
  // Of the forms with a residual.
  const_tensor_view residual_rows_view;
  tensor_view sum_view;

  norm_inputs& weight(const const_tensor_view& v) noexcept { return weight_view = v, *this; }
  norm_inputs& bias(const const_tensor_view& v) noexcept { return bias_view = v, *this; }
  norm_inputs& mean(const tensor_view& v) noexcept { return mean_view = v, *this; }
  norm_inputs& rstd(const tensor_view& v) noexcept { return rstd_view = v, *this; }
  norm_inputs& rows(const const_tensor_view& v) noexcept { return rows_view = v, *this; }
  norm_inputs& residual_rows(const const_tensor_view& v) noexcept { return residual_rows_view = v, *this; }
  norm_inputs& sum(const tensor_view& v) noexcept { return sum_view = v, *this; }
};

// y = (x - mean) / sqrt(variance + eps) * weight + bias, the variance being the mean of (x - mean)^2.
//   y: the shape of x (with `rows`: any leading axes, then the trailing ones); may be x.
// Zero elements: success; mean and rstd of empty rows are 0.
ROWSMITH_EXPORT status layer_norm(const const_tensor_view& x, const tensor_view& y, const norm_inputs& more,
                                  const norm_options& options = {}, stream on = {});
ROWSMITH_EXPORT status layer_norm(const const_tensor_view& x, const tensor_view& y, const norm_options& options = {},
                                  stream on = {});

// y = x / sqrt(mean(x^2) + eps) * weight + bias. There is no mean to give out.
ROWSMITH_EXPORT status rms_norm(const const_tensor_view& x, const tensor_view& y, const norm_inputs& more,
                                const norm_options& options = {}, stream on = {});
ROWSMITH_EXPORT status rms_norm(const const_tensor_view& x, const tensor_view& y, const norm_options& options = {},
                                stream on = {});

// y = norm(x + residual), and sum = x + residual where a sum is asked for; or y = residual + norm(x), without a sum.
//   residual: the shape of y, or with `residual_rows` a table as x with `rows` is; one of the two at least is no table.
//   sum: the shape of y; may be x or residual, as y may.
ROWSMITH_EXPORT status add_layer_norm(const const_tensor_view& x, const const_tensor_view& residual,
                                      const tensor_view& y, const norm_inputs& more = {},
                                      const norm_options& options = {}, stream on = {});
ROWSMITH_EXPORT status add_rms_norm(const const_tensor_view& x, const const_tensor_view& residual, const tensor_view& y,
                                    const norm_inputs& more = {}, const norm_options& options = {}, stream on = {});

// What a backward is asked for, at least one of the three, and what it takes beside x and dy.
struct norm_gradients {
  tensor_view dx_view, dweight_view, dbias_view;
  const_tensor_view weight_view;
  const_tensor_view dsum_view;

  norm_gradients& dx(const tensor_view& v) noexcept { return dx_view = v, *this; }
  norm_gradients& dweight(const tensor_view& v) noexcept { return dweight_view = v, *this; }
  norm_gradients& dbias(const tensor_view& v) noexcept { return dbias_view = v, *this; }
  norm_gradients& weight(const const_tensor_view& v) noexcept { return weight_view = v, *this; }
  // What else flows into x: the gradient of the stored sum, of the forms with a residual, whose sum is x here.
  norm_gradients& dsum(const const_tensor_view& v) noexcept { return dsum_view = v, *this; }
};

// With g = dy * weight, x^ the normalized x and means along the row:
//   dx = rstd (g - mean(g) - x^ mean(g x^)) + dsum; without mean(g) for RMS norm. The shape of x; may be x, dy or dsum.
//   dweight = the sum over rows of dy x^, dbias = that of dy; the shape of weight. 0 for no rows.
// The statistics are computed from x again, as exactly as forwards. Sums over rows are made in two launches without
// atomics, in an order that the shape and the device fix: the same bits every run. The partial sums take
// options.workspace, or memory from the stream-ordered pool. A rounding of the normalized value has gradient 1.
ROWSMITH_EXPORT status layer_norm_backward(const const_tensor_view& x, const const_tensor_view& dy,
                                           const norm_gradients& gradients, const norm_options& options = {},
                                           stream on = {});
ROWSMITH_EXPORT status rms_norm_backward(const const_tensor_view& x, const const_tensor_view& dy,
                                         const norm_gradients& gradients, const norm_options& options = {},
                                         stream on = {});

}  // namespace rowsmith
