// Elementwise mathematics and copies.
//
// Common to all: what ops.h says. Inputs broadcast to the outputs, as in NumPy: shapes are aligned at the right, axes
// of 1 repeat; a stride of 0 repeats as well. An output may be an input of the same base, strides, shape and element
// size. Arithmetic is in fp32: the expression's roundings are those it is written with (see expr.h), and every output
// is rounded once to its dtype, to nearest even. Subnormal numbers are kept. One compiled kernel serves all sizes.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "rowsmith/export.h"
#include "rowsmith/expr.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

constexpr int max_elementwise_outputs = 4;

struct elementwise_options {
  std::uint32_t struct_size = sizeof(elementwise_options);
  float params[max_expression_parameters] = {};
  // As in softmax_options.
  bool deterministic_answer = false;
  bool fallback_in_capture = false;

  // The value of param(k) of the expression. REQUIRES: 0 <= k < max_expression_parameters.
  elementwise_options& param(int k, float value) noexcept { return params[k] = value, *this; }
  elementwise_options& deterministic(bool on = true) noexcept { return deterministic_answer = on, *this; }
  elementwise_options& capture_fallback(bool on = true) noexcept { return fallback_in_capture = on, *this; }
};

// outputs[n] = output n of e, with inputs[i] as arg(i).
//   inputs: 1 to 8, at least as many as e has arguments; f32, f16, bf16 or b8 (true is 1, false 0); rank up to 8;
//   shapes that broadcast to the outputs'. One that e does not read is not looked at.
//   outputs: as many as e has, 1 to 4; f32, f16 or bf16; one shape, rank 1 to 8, and one device for all.
//   Zero elements: success, nothing is launched.
// Errors: invalid_argument (names the argument, what was found, what is allowed), unsupported, not_found (no such
// device or no library for it), would_compile, compile_failed (only where no fallback can answer), device_error.
ROWSMITH_EXPORT status elementwise(const expression& e, const const_tensor_view* inputs, std::size_t input_count,
                                   const tensor_view* outputs, std::size_t output_count,
                                   const elementwise_options& options = {}, stream on = {});

inline status elementwise(const expression& e, std::initializer_list<const_tensor_view> inputs,
                          std::initializer_list<tensor_view> outputs, const elementwise_options& options = {},
                          stream on = {}) {
  return elementwise(e, inputs.begin(), inputs.size(), outputs.begin(), outputs.size(), options, on);
}

// Builds and loads the kernel of this call, and launches nothing.
ROWSMITH_EXPORT status prepare_elementwise(const expression& e, const const_tensor_view* inputs,
                                           std::size_t input_count, const tensor_view* outputs,
                                           std::size_t output_count, const elementwise_options& options = {});

// ---- expressions that people use. options.params are theirs ----

enum class gelu_form : std::uint8_t { tanh = 0, erf = 1 };

// y = sigmoid(a + b).
ROWSMITH_EXPORT status add_sigmoid(const const_tensor_view& a, const const_tensor_view& b, const tensor_view& y,
                                   const elementwise_options& options = {}, stream on = {});

// y = silu(gate) * up; what silu gives is not rounded to a storage dtype in between (SwiGLU).
ROWSMITH_EXPORT status silu_mul(const const_tensor_view& gate, const const_tensor_view& up, const tensor_view& y,
                                const elementwise_options& options = {}, stream on = {});

// y = gelu(x + bias).
ROWSMITH_EXPORT status bias_gelu(const const_tensor_view& x, const const_tensor_view& bias, const tensor_view& y,
                                 gelu_form form, const elementwise_options& options = {}, stream on = {});

// y = value where the mask is true, else x. mask: b8 or a float dtype, where all but 0 is true.
ROWSMITH_EXPORT status masked_fill(const const_tensor_view& x, const const_tensor_view& mask, float value,
                                   const tensor_view& y, const elementwise_options& options = {}, stream on = {});

// y = x * factor.
ROWSMITH_EXPORT status scale(const const_tensor_view& x, float factor, const tensor_view& y,
                             const elementwise_options& options = {}, stream on = {});

// y = x ^ exponent, as C's pow.
ROWSMITH_EXPORT status power(const const_tensor_view& x, float exponent, const tensor_view& y,
                             const elementwise_options& options = {}, stream on = {});

// ---- copy ----

struct copy_options {
  std::uint32_t struct_size = sizeof(copy_options);
  // As in softmax_options.
  bool deterministic_answer = false;
  bool fallback_in_capture = false;

  copy_options& deterministic(bool on = true) noexcept { return deterministic_answer = on, *this; }
  copy_options& capture_fallback(bool on = true) noexcept { return fallback_in_capture = on, *this; }
};

// y = x: any permutation, crop or repetition that views can name.
//   x, y: f32, f16 or bf16, rounded to nearest even where they differ; or both b8, both i32, both i64. x's shape
//   broadcasts to y's; y's rank is 1 to 8. Elements of one dtype are moved bit by bit, NaNs whole.
//   Zero elements: success, nothing is launched.
// Errors: as elementwise.
ROWSMITH_EXPORT status copy(const const_tensor_view& x, const tensor_view& y, const copy_options& options = {},
                            stream on = {});
ROWSMITH_EXPORT status prepare_copy(const const_tensor_view& x, const tensor_view& y, const copy_options& options = {});

}  // namespace rowsmith
