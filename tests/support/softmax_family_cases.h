// Classes of masked softmax calls, of log_softmax and of both gradients that golden and compile tests go over. Shapes
// are [batch 2, heads 4, queries 64, width].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "call/softmax_request.h"
#include "rowsmith/tensor_view.h"
#include "support/named_request.h"

namespace rowsmith::test {

class softmax_family {
 public:
  softmax_family(std::int64_t width, dtype type, device where = {}) : width_(width), type_(type), where_(where) {}

  tensor_view full(dtype type) { return dense(next(), type, {2, 4, 64, width_}, where_); }
  tensor_view full() { return full(type_); }
  tensor_view per_key(dtype type) { return dense(next(), type, {width_}, where_); }
  tensor_view per_batch_and_key(dtype type) { return dense(next(), type, {2, 1, 1, width_}, where_); }
  tensor_view without_heads(dtype type) { return dense(next(), type, {2, 1, 64, width_}, where_); }
  tensor_view per_row(dtype type) { return dense(next(), type, {2, 4, 64}, where_); }

  request masked(op_id op, const softmax_inputs& inputs, const softmax_options& options = {}) {
    return softmax_request(full(), inputs, full(), options, {}, op);
  }
  request backward(op_id op, const softmax_options& options = {}) {
    return softmax_backward_request(full(), full(), full(), options, {}, op);
  }

 private:
  void* next() { return reinterpret_cast<void*>(++tensors_ << 40); }  // pretended memory

  std::int64_t width_;
  dtype type_;
  device where_;
  std::uintptr_t tensors_ = 0;
};

inline void add_softmax_family(std::int64_t width, dtype type, std::vector<named_request>* all) {
  const auto add = [&](const std::string& name, auto make) {
    softmax_family of(width, type);
    all->push_back({name + "_w" + std::to_string(width) + "_" + std::string(name_of(type)), make(of)});
  };
  const softmax_options masked = softmax_options().masked().scale(0.125f), scaled = softmax_options().scale(0.125f);
  constexpr op_id softmax = op_id::softmax, log_softmax = op_id::log_softmax;
  add("keep_per_key",
      [&](auto& of) { return of.masked(softmax, softmax_inputs().keep(of.per_batch_and_key(dtype::b8)), masked); });
  add("drop_per_row", [&](auto& of) { return of.masked(softmax, softmax_inputs().drop(of.full(dtype::b8)), masked); });
  add("additive",
      [&](auto& of) { return of.masked(softmax, softmax_inputs().additive(of.without_heads(dtype::f32)), scaled); });
  add("additive_full", [&](auto& of) { return of.masked(softmax, softmax_inputs().additive(of.full()), scaled); });
  add("bias_and_causal",
      [&](auto& of) { return of.masked(softmax, softmax_inputs().bias(of.full()).causal(width - 64), masked); });
  add("causal", [&](auto& of) { return of.masked(softmax, softmax_inputs().causal(), masked); });
  add("everything", [&](auto& of) {
    const softmax_inputs inputs = softmax_inputs()
                                      .additive(of.without_heads(dtype::f16))
                                      .bias(of.per_key(dtype::f32))
                                      .causal()
                                      .lse(of.per_row(dtype::f32));
    return of.masked(softmax, inputs, masked);
  });
  add("rows", [&](auto& of) {
    request r = of.masked(softmax, softmax_inputs().rows(of.per_row(dtype::i64)));
    r.operands[0].view = dense(r.operands[0].view.data, type, {1000, width});
    return r;
  });
  add("log", [&](auto& of) { return of.masked(log_softmax, softmax_inputs().lse(of.per_row(dtype::f32))); });
  add("log_masked", [&](auto& of) {
    return of.masked(log_softmax, softmax_inputs().keep(of.without_heads(dtype::b8)).causal(), masked);
  });
  add("backward", [&](auto& of) { return of.backward(op_id::softmax_backward); });
  add("backward_masked", [&](auto& of) { return of.backward(op_id::softmax_backward, masked); });
  add("log_backward", [&](auto& of) { return of.backward(op_id::log_softmax_backward); });
  add("log_backward_masked", [&](auto& of) { return of.backward(op_id::log_softmax_backward, masked); });
}

inline std::vector<named_request> softmax_family_cases(std::initializer_list<std::int64_t> widths) {
  std::vector<named_request> all;
  for (const std::int64_t width : widths) {
    for (const dtype type : {dtype::f16, dtype::f32}) add_softmax_family(width, type, &all);
  }
  return all;
}

}  // namespace rowsmith::test
