// The front doors of elementwise and copy.
#include "rowsmith/elementwise.h"

#include "base/no_destructor.h"
#include "call/dispatch.h"
#include "call/elementwise_request.h"

namespace rowsmith {

namespace {

// Of mathematics that fit.
expression made(const expr& e) { return expression::make(e).value(); }

status run(const expression& e, std::initializer_list<const_tensor_view> inputs, const tensor_view& y,
           const elementwise_options& options, stream on) {
  return elementwise(e, inputs, {y}, options, on);
}

}  // namespace

status elementwise(const expression& e, const const_tensor_view* inputs, std::size_t input_count,
                   const tensor_view* outputs, std::size_t output_count, const elementwise_options& options,
                   stream on) {
  request r;
  if (status s = elementwise_request(e, inputs, input_count, outputs, output_count, options, on, &r); !s) return s;
  return dispatch(r);
}

status prepare_elementwise(const expression& e, const const_tensor_view* inputs, std::size_t input_count,
                           const tensor_view* outputs, std::size_t output_count, const elementwise_options& options) {
  request r;
  if (status s = elementwise_request(e, inputs, input_count, outputs, output_count, options, {}, &r); !s) return s;
  return prepare(r);
}

status add_sigmoid(const const_tensor_view& a, const const_tensor_view& b, const tensor_view& y,
                   const elementwise_options& options, stream on) {
  static no_destructor<expression> e(made(sigmoid(arg(0) + arg(1))));
  return run(*e, {a, b}, y, options, on);
}

status silu_mul(const const_tensor_view& gate, const const_tensor_view& up, const tensor_view& y,
                const elementwise_options& options, stream on) {
  static no_destructor<expression> e(made(silu(arg(0)) * arg(1)));
  return run(*e, {gate, up}, y, options, on);
}

status bias_gelu(const const_tensor_view& x, const const_tensor_view& bias, const tensor_view& y, gelu_form form,
                 const elementwise_options& options, stream on) {
  static no_destructor<expression> by_tanh(made(gelu_tanh(arg(0) + arg(1))));
  static no_destructor<expression> by_erf(made(gelu_erf(arg(0) + arg(1))));
  if (form > gelu_form::erf) return status(code::invalid_argument, "form: 0 (tanh) and 1 (erf) are allowed");
  return run(form == gelu_form::tanh ? *by_tanh : *by_erf, {x, bias}, y, options, on);
}

status masked_fill(const const_tensor_view& x, const const_tensor_view& mask, float value, const tensor_view& y,
                   const elementwise_options& options, stream on) {
  static no_destructor<expression> e(made(where(arg(1), param(0), arg(0))));
  return run(*e, {x, mask}, y, elementwise_options(options).param(0, value), on);
}

status scale(const const_tensor_view& x, float factor, const tensor_view& y, const elementwise_options& options,
             stream on) {
  static no_destructor<expression> e(made(arg(0) * param(0)));
  return run(*e, {x}, y, elementwise_options(options).param(0, factor), on);
}

status power(const const_tensor_view& x, float exponent, const tensor_view& y, const elementwise_options& options,
             stream on) {
  static no_destructor<expression> e(made(pow(arg(0), param(0))));
  return run(*e, {x}, y, elementwise_options(options).param(0, exponent), on);
}

status copy(const const_tensor_view& x, const tensor_view& y, const copy_options& options, stream on) {
  request r;
  if (status s = copy_request(x, y, options, on, &r); !s) return s;
  return dispatch(r);
}

status prepare_copy(const const_tensor_view& x, const tensor_view& y, const copy_options& options) {
  request r;
  if (status s = copy_request(x, y, options, {}, &r); !s) return s;
  return prepare(r);
}

}  // namespace rowsmith
