// The classes of norm calls that golden and compile tests go over: every mechanism, form and layout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

struct norm_case {
  std::string name;
  op_id op;
  std::int64_t width;
  dtype type = dtype::bf16;
  dtype weights = dtype::bf16;
  bool weight = true, bias = true, statistics = false, sum = false, index = false;
  std::uint64_t options = 0;
  int shift = 0;  // elements by which all bases of rows are off a 16-byte boundary
};

// A request of 1024 rows on pretended memory.
inline request request_of(const norm_case& c) {
  constexpr std::int64_t rows = 1024;
  std::uintptr_t base = std::uintptr_t{1} << 40;
  const auto at = [&](dtype type, std::initializer_list<std::int64_t> shape, int shift = 0) {
    tensor_view v = dense(nullptr, type, shape);
    v.data =
        reinterpret_cast<void*>((base += std::uintptr_t{1} << 36) + static_cast<std::uintptr_t>(shift) * size_of(type));
    return v;
  };
  const auto full = [&] { return at(c.type, {rows, c.width}, c.shift); };
  const auto column = [&] { return at(c.weights, {c.width}); };
  const bool backward = c.op == op_id::layer_norm_backward || c.op == op_id::rms_norm_backward;
  const bool adds = c.op == op_id::add_layer_norm || c.op == op_id::add_rms_norm;
  request r;
  r.op = c.op;
  r.axis = 1;
  r.options = c.options;
  r.param[first_op_param] = 1e-5f;
  r.add(role::x, full());
  if (backward) r.add(role::dy, full());
  if (adds) r.add(role::residual, full());
  if (c.weight) r.add(role::weight, column());
  if (backward) {
    r.add(role::dx, full());
    if (c.statistics) r.add(role::dweight, column()), r.add(role::dbias, column());
    if (c.sum) r.add(role::sum, full());
    return r;
  }
  if (c.bias) r.add(role::bias, column());
  r.add(role::y, full());
  if (c.sum) r.add(role::sum, full());
  if (c.statistics) r.add(role::mean, at(dtype::f32, {rows})), r.add(role::rstd, at(dtype::f32, {rows}));
  if (c.index) {
    r.operands[0].rows_from = static_cast<std::int8_t>(r.operand_count);
    r.add(role::index, at(dtype::i32, {rows}));
  }
  return r;
}

inline std::vector<norm_case> norm_cases() {
  std::vector<norm_case> all;
  const auto add = [&](const char* form, norm_case c) {
    c.name =
        std::string(describe(c.op).name) + "_w" + std::to_string(c.width) + "_" + std::string(name_of(c.type)) + form;
    all.push_back(c);
  };
  for (const std::int64_t width : {1, 49, 192, 1000, 1024, 4096, 5120, 8192, 16384, 32768, 50257, 131072}) {
    for (const dtype type : {dtype::bf16, dtype::f32}) {
      add("", {"", op_id::layer_norm, width, type, type});
      add("_plain", {"", op_id::rms_norm, width, type, type, false, false});
      add("_sum", {"", op_id::add_layer_norm, width, type, type, true, true, false, true});
      add("", {"", op_id::layer_norm_backward, width, type, dtype::f32, true, false, true});
    }
  }
  for (const std::int64_t width : {192, 4096, 32768}) {
    add("_statistics", {"", op_id::layer_norm, width, dtype::f16, dtype::f32, true, true, true});
    add("_index", {"", op_id::layer_norm, width, dtype::f16, dtype::f16, true, true, false, false, true});
    add("_index", {"", op_id::add_rms_norm, width, dtype::f16, dtype::f16, true, false, false, true, true});
    add("_last", {"", op_id::add_rms_norm, width, dtype::bf16, dtype::bf16, true, false, false, false, false,
                  option_residual_after | option_one_plus_weight | option_cast_before_weight});
    add("_dx", {"", op_id::rms_norm_backward, width, dtype::bf16, dtype::bf16, true, false, false, true});
    add("_off_by_one", {"", op_id::rms_norm, width, dtype::f16, dtype::f16, true, false, false, false, false, 0, 1});
  }
  return all;
}

}  // namespace rowsmith::test
