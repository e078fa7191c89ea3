// The classes of elementwise calls and copies that golden and compile tests go over: every layout that has a plan of
// its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "call/elementwise_request.h"
#include "rowsmith/expr.h"

namespace rowsmith::test {

struct view_case {
  dtype type;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride = {};  // empty: dense
  int shift = 0;                          // elements by which the base is off a 16-byte boundary
};

struct elementwise_case {
  std::string name;
  std::vector<expr> outputs;  // none: a copy
  std::vector<view_case> inputs, results;
};

inline tensor_view pretended(const view_case& c, std::size_t number) {
  tensor_view v;
  v.dtype = c.type;
  v.rank = static_cast<int>(c.shape.size());
  std::int64_t step = 1;
  for (int i = v.rank; i-- > 0;) {
    v.shape[i] = c.shape[static_cast<std::size_t>(i)];
    v.stride[i] = c.stride.empty() ? step : c.stride[static_cast<std::size_t>(i)];
    step *= v.shape[i];
  }
  v.data = reinterpret_cast<void*>((std::uintptr_t{1} << 40) + (number << 44) +
                                   static_cast<std::uintptr_t>(c.shift) * size_of(c.type));
  return v;
}

inline request request_of(const elementwise_case& c) {
  std::vector<const_tensor_view> inputs;
  std::vector<tensor_view> results;
  for (const view_case& v : c.inputs) inputs.emplace_back(pretended(v, inputs.size()));
  for (const view_case& v : c.results) results.push_back(pretended(v, 8 + results.size()));
  request r;
  if (c.outputs.empty()) {
    (void)copy_request(inputs[0], results[0], {}, {}, &r);
  } else {
    const expression e = expression::make(c.outputs.data(), c.outputs.size()).value();
    (void)elementwise_request(e, inputs.data(), inputs.size(), results.data(), results.size(), {}, {}, &r);
  }
  return r;
}

inline std::vector<elementwise_case> elementwise_cases() {
  constexpr dtype h = dtype::f16, b = dtype::bf16, f = dtype::f32, mask = dtype::b8;
  const expr x = arg(0), y = arg(1), z = arg(2);
  const std::int64_t n = 1 << 20;
  return {
      {"silu_bf16", {silu(x)}, {{b, {n}}}, {{b, {n}}}},
      {"silu_f32", {silu(x)}, {{f, {n}}}, {{f, {n}}}},
      {"gelu_tanh_f16", {gelu_tanh(x)}, {{h, {n}}}, {{h, {n}}}},
      {"gelu_erf_f16_to_f32", {gelu_erf(x)}, {{h, {n}}}, {{f, {n}}}},
      {"gelu_erf_f32_to_f16", {gelu_erf(x)}, {{f, {n}}}, {{h, {n}}}},
      {"add_sigmoid_bf16", {sigmoid(x + y)}, {{b, {n}}, {b, {n}}}, {{b, {n}}}},
      {"silu_bf16_off_by_one", {silu(x)}, {{b, {n}, {}, 1}}, {{b, {n}, {}, 1}}},
      {"silu_bf16_x_off_by_one", {silu(x)}, {{b, {n}, {}, 1}}, {{b, {n}}}},
      {"silu_bf16_y_off_by_one", {silu(x)}, {{b, {n}}}, {{b, {n}, {}, 1}}},
      {"add_f32_each_off_by_another", {x + y}, {{f, {n}, {}, 1}, {f, {n}, {}, 2}}, {{f, {n}, {}, 3}}},
      {"bias_gelu_bf16", {gelu_tanh(x + y)}, {{b, {1024, 4096}}, {b, {4096}}}, {{b, {1024, 4096}}}},
      {"bias_gelu_bf16_odd_width", {gelu_tanh(x + y)}, {{b, {1024, 4097}}, {b, {4097}}}, {{b, {1024, 4097}}}},
      {"scale_by_row_f16", {x * y}, {{h, {1024, 4096}}, {f, {1024, 1}}}, {{h, {1024, 4096}}}},
      {"masked_f16", {where(y, param(0), x)}, {{h, {n}}, {mask, {n}}}, {{h, {n}}}},
      {"masked_f16_mask_off_by_one", {where(y, param(0), x)}, {{h, {n}}, {mask, {n}, {}, 1}}, {{h, {n}}}},
      {"three_outputs", {x + y, x - y, x * z}, {{b, {n}}, {b, {n}}, {f, {n}}}, {{b, {n}}, {f, {n}}, {b, {n}}}},
      {"pow_strided", {pow(x, param(0))}, {{f, {512, 512}, {1024, 2}}}, {{f, {512, 512}}}},
      {"relu_gaps", {relu(x)}, {{b, {64, 8, 1024}, {16384, 2048, 1}}}, {{b, {64, 8, 1024}}}},
      {"constant", {constant(1.5f), x}, {{b, {n}}}, {{b, {n}}, {f, {n}}}},
      {"copy_bf16", {}, {{b, {n}}}, {{b, {n}}}},
      {"copy_b8", {}, {{mask, {n}}}, {{mask, {n}}}},
      {"copy_i64", {}, {{dtype::i64, {n}}}, {{dtype::i64, {n}}}},
      {"copy_bf16_to_f32", {}, {{b, {n}}}, {{f, {n}}}},
      {"copy_x_off_by_one", {}, {{b, {n}, {}, 1}}, {{b, {n}}}},
      {"copy_b8_off", {}, {{mask, {n}, {}, 3}}, {{mask, {n}}}},
      {"copy_windows", {}, {{b, {4, 8, 8, 7, 7, 96}, {301056, 37632, 672, 5376, 96, 1}}}, {{b, {4, 8, 8, 7, 7, 96}}}},
      {"transpose_bf16", {}, {{b, {4, 1024, 512}, {524288, 1, 1024}}}, {{b, {4, 1024, 512}}}},
      {"transpose_f32", {}, {{f, {1024, 512}, {1, 1024}}}, {{f, {1024, 512}}}},
      {"transpose_f32_to_f16", {}, {{f, {1024, 512}, {1, 1024}}}, {{h, {1024, 512}}}},
      {"transpose_i64", {}, {{dtype::i64, {1024, 512}, {1, 1024}}}, {{dtype::i64, {1024, 512}}}},
      {"transpose_bf16_odd", {}, {{b, {1023, 511}, {1, 1023}, 1}}, {{b, {1023, 511}}}},
  };
}

}  // namespace rowsmith::test
