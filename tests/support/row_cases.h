// The classes of gather, moments and column calls that golden, compile and device tests go over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/request.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

struct row_case {
  std::string name;  // fit for a file name
  request what;
};

// A view of pretended memory: operand `place` of a call, far from the others.
inline tensor_view pretended(int place, dtype type, std::vector<std::int64_t> shape,
                             std::vector<std::int64_t> stride = {}, int shift = 0) {
  tensor_view v;
  v.data = reinterpret_cast<void*>((std::uintptr_t{1} << 40) * static_cast<std::uintptr_t>(place + 1) +
                                   static_cast<std::uintptr_t>(shift) * size_of(type));
  v.dtype = type;
  v.rank = static_cast<std::int32_t>(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) {
    v.shape[i] = shape[i];
    v.stride[i] = stride.empty() ? step : stride[i];
  }
  return v;
}

inline request gather_request(dtype in, dtype out, std::int64_t width, dtype index = dtype::i32, int shift = 0) {
  request r;
  r.op = op_id::gather_rows;
  r.axis = 1;
  r.add(role::x, pretended(0, in, {131040, width}, {}, shift), 2);
  r.add(role::y, pretended(1, out, {135360, width}));
  r.add(role::index, pretended(2, index, {135360}));
  return r;
}

inline request gather_backward_request(dtype in, dtype out, std::int64_t width, int shift = 0) {
  request r;
  r.op = op_id::gather_rows_backward;
  r.axis = 1;
  r.add(role::dy, pretended(0, in, {135360, width}, {}, shift));
  r.add(role::dx, pretended(1, out, {131040, width}), 2);
  r.add(role::index, pretended(2, dtype::i64, {135360}));
  return r;
}

inline request moments_request(dtype in, std::vector<std::int64_t> shape, int set,
                               std::vector<std::int64_t> stride = {}) {
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < shape.size(); ++i) kept.push_back((set >> i & 1) != 0 ? 1 : shape[i]);
  request r;
  r.op = op_id::moments;
  r.axis = set;
  r.add(role::x, pretended(0, in, shape, stride));
  r.add(role::mean, pretended(1, dtype::f32, kept));
  r.add(role::variance, pretended(2, dtype::f32, kept));
  return r;
}

// Softmax along the first of two axes.
inline request column_request(dtype in, dtype out, std::int64_t width, std::int64_t columns) {
  request r;
  r.op = op_id::softmax;
  r.axis = 0;
  r.options = out == dtype::f32 ? 1 : 0;
  r.add(role::x, pretended(0, in, {width, columns}));
  r.add(role::y, pretended(1, out, {width, columns}));
  return r;
}

inline std::vector<row_case> row_cases() {
  std::vector<row_case> all;
  for (const std::int64_t width : {1, 49, 192, 384, 1000, 8192, 50257}) {
    const std::string w = "w" + std::to_string(width);
    all.push_back({"gather_" + w + "_f16", gather_request(dtype::f16, dtype::f16, width)});
    all.push_back({"gather_" + w + "_f32_to_bf16", gather_request(dtype::f32, dtype::bf16, width, dtype::i64)});
    all.push_back({"gather_backward_" + w + "_f16", gather_backward_request(dtype::f16, dtype::f16, width)});
  }
  all.push_back({"gather_w192_base_off_by_one", gather_request(dtype::f16, dtype::f16, 192, dtype::i32, 1)});
  all.push_back({"gather_backward_w192_f32_to_f16", gather_backward_request(dtype::f32, dtype::f16, 192)});
  all.push_back({"gather_backward_w192_base_off_by_one", gather_backward_request(dtype::f16, dtype::f16, 192, 1)});
  for (const dtype type : {dtype::f16, dtype::f32}) {
    const std::string t = "_" + std::string(name_of(type));
    all.push_back({"moments_rows" + t, moments_request(type, {4096, 1024}, 2)});
    all.push_back({"moments_long_rows" + t, moments_request(type, {64, 100000}, 2)});
    all.push_back({"moments_few_rows" + t, moments_request(type, {64, 10000000}, 2)});
    all.push_back({"moments_nchw" + t, moments_request(type, {8, 64, 32, 32}, 13)});
    all.push_back({"moments_nchw_many" + t, moments_request(type, {64, 64, 128, 128}, 13)});
    all.push_back({"moments_nhwc" + t, moments_request(type, {8, 32, 32, 64}, 7)});
    all.push_back({"moments_nhwc_many" + t, moments_request(type, {64, 128, 128, 64}, 7)});
    all.push_back({"moments_odd_runs" + t, moments_request(type, {9, 64, 7, 7}, 13)});
    for (const std::int64_t width : {2, 64, 512, 4096, 70000}) {
      all.push_back({"columns_w" + std::to_string(width) + t, column_request(type, type, width, 4096)});
    }
  }
  all.push_back({"columns_w300_f16_to_f32", column_request(dtype::f16, dtype::f32, 300, 4096)});
  return all;
}

}  // namespace rowsmith::test
