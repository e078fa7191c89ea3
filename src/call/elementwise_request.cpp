#include "call/elementwise_request.h"

#include "base/failure.h"
#include "model/expression/intern.h"

namespace rowsmith {

namespace {

constexpr role k_outputs[max_elementwise_outputs] = {role::y, role::out1, role::out2, role::out3};

[[gnu::cold, gnu::noinline]] status wrong_size(std::uint32_t is, std::size_t has) noexcept {
  return failure(code::invalid_argument, "options.struct_size: is {}, this version has {}", is, has);
}

[[gnu::cold, gnu::noinline]] status no_list(const char* what, std::size_t count) noexcept {
  return failure(code::invalid_argument, "{}: null, but {} are given", what, count);
}

[[gnu::cold, gnu::noinline]] status wrong_count(const char* what, std::size_t is, std::size_t most) noexcept {
  return failure(code::invalid_argument, "{}: {} given, 1 to {} are allowed", what, is, most);
}

template <class Options>
void take_flags(const Options& options, request* r) noexcept {
  if (options.deterministic_answer) r->flags |= request_deterministic;
  if (options.fallback_in_capture) r->flags |= request_capture_fallback;
}

}  // namespace

status elementwise_request(const expression& e, const const_tensor_view* inputs, std::size_t input_count,
                           const tensor_view* outputs, std::size_t output_count, const elementwise_options& options,
                           stream on, request* r) {
  if (options.struct_size != sizeof options) return wrong_size(options.struct_size, sizeof options);
  if (input_count < 1 || input_count > max_expression_arguments) {
    return wrong_count("inputs", input_count, max_expression_arguments);
  }
  if (output_count < 1 || output_count > max_elementwise_outputs) {
    return wrong_count("outputs", output_count, max_elementwise_outputs);
  }
  if (inputs == nullptr) return no_list("inputs", input_count);
  if (outputs == nullptr) return no_list("outputs", output_count);
  unsigned used = 1;  // x is always there
  for (int n = 0; n < e.output_count(); ++n) used |= e.arguments_of(n);
  r->op = op_id::elementwise;
  r->on = on;
  take_flags(options, r);
  for (int k = 0; k < max_expression_parameters; ++k) r->param[k] = options.params[k];
  for (std::size_t i = 0; i < input_count; ++i) {
    if ((used >> i & 1) != 0) r->add(argument_role(static_cast<int>(i)), inputs[i]);
  }
  for (std::size_t n = 0; n < output_count; ++n) r->add(k_outputs[n], outputs[n]);
  r->pre = intern(e);
  if (!r->pre) return status(code::internal, "the expression has the hash of another");
  return {};
}

status copy_request(const const_tensor_view& x, const tensor_view& y, const copy_options& options, stream on,
                    request* r) noexcept {
  if (options.struct_size != sizeof options) return wrong_size(options.struct_size, sizeof options);
  r->op = op_id::copy;
  r->on = on;
  take_flags(options, r);
  r->add(role::x, x);
  r->add(role::y, y);
  return {};
}

}  // namespace rowsmith
