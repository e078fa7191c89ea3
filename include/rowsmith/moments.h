// Mean and variance over any axes. What is common to all ops is said in ops.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "rowsmith/export.h"
#include "rowsmith/row_options.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct moments_options {
  std::uint32_t struct_size = sizeof(moments_options);
  // The same bits at every call of the process: under ROWSMITH_COMPILE=background the first call waits for its kernel.
  bool deterministic_answer = false;
  // A stream that is being captured meets a kernel that is not loaded: freeze the scalar fallback into the graph
  // instead of failing with would_compile.
  bool fallback_in_capture = false;
  // See row_options.h.
  width_mode width_as = width_mode::automatic;
  bool batch_invariant_rows = false;
  // Device memory between two launches, where few long rows want it; null: the library finds its own.
  void* workspace_memory = nullptr;
  std::size_t workspace_size = 0;

  moments_options& deterministic(bool on = true) noexcept { return deterministic_answer = on, *this; }
  moments_options& capture_fallback(bool on = true) noexcept { return fallback_in_capture = on, *this; }
  moments_options& width(width_mode m) noexcept { return width_as = m, *this; }
  moments_options& batch_invariant(bool on = true) noexcept { return batch_invariant_rows = on, *this; }
  moments_options& workspace(void* memory, std::size_t bytes) noexcept {
    return workspace_memory = memory, workspace_size = bytes, *this;
  }
};

// Axes by number, in any order; a negative one counts from the last.
struct axis_list {
  int axis[max_rank] = {};
  std::size_t count = 0;  // more than there are axes: refused

  axis_list(std::initializer_list<int> axes) noexcept : axis_list(axes.begin(), axes.size()) {}
  axis_list(const int* axes, std::size_t n) noexcept : count(n) {
    for (std::size_t i = 0; i < n && i < max_rank; ++i) axis[i] = axes[i];
  }
};

// mean = sum(x) / N and variance = sum((x - mean)^2) / N (biased) over `axes`, whose elements are N in number.
// Computed on x - x[0], x[0] the first of those elements, in two passes or merged as Chan, Golub and LeVeque (1979) do:
// errors scale with the range of x, not with its mean, and equal elements are exact. {0, 2, 3} of [N, C, H, W] gives
// the moments of batch norm, {2, 3} those of instance norm, the same axes of an NHWC view those of channels last.
//   x: f32, f16 or bf16, rank 1 to 8.
//   mean, variance: f32, f16 or bf16, the shape of x with 1 along `axes`, or without them.
//   No elements (N = 0), a NaN or an infinity among them: both are NaN. A variance beyond fp32: +inf.
// Errors: invalid_argument (names the argument, what was found, what is allowed), and as softmax.
ROWSMITH_EXPORT status moments(const const_tensor_view& x, const axis_list& axes, const tensor_view& mean,
                               const tensor_view& variance, const moments_options& options = {}, stream on = {});

// The mean alone.
ROWSMITH_EXPORT status moments(const const_tensor_view& x, const axis_list& axes, const tensor_view& mean,
                               const moments_options& options = {}, stream on = {});

}  // namespace rowsmith
