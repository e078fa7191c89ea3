// The classes of softmax calls that golden, compile and device tests go over: every mechanism, dtype and layout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

struct softmax_case {
  std::string name;  // fit for a file name
  std::int64_t rows;
  std::int64_t width;
  dtype in;
  dtype out;
  int shift = 0;         // elements by which both bases are off a 16-byte boundary
  int x_shift = 0;       // elements by which x alone is off
  std::int64_t gap = 0;  // elements between rows
  int step = 1;          // stride of the reduced axis of x
};

// A request on pretended memory.
inline request request_of(const softmax_case& c, device where = {}) {
  const auto view = [&](std::uintptr_t base, dtype type, int shift, int step) {
    tensor_view v = dense(nullptr, type, {c.rows, c.width}, where);
    v.data = reinterpret_cast<void*>(base + static_cast<std::uintptr_t>(shift) * size_of(type));
    v.stride[1] = step;
    v.stride[0] = (c.width + c.gap) * step;
    return v;
  };
  request r;
  r.op = op_id::softmax;
  r.options = c.out == dtype::f32 ? option_accurate_exp : 0;
  r.add(role::x, view(std::uintptr_t{1} << 40, c.in, c.shift + c.x_shift, c.step));
  r.add(role::y, view(std::uintptr_t{1} << 44, c.out, c.shift, 1));
  return r;
}

inline std::vector<softmax_case> softmax_cases() {
  std::vector<softmax_case> all;
  const auto add = [&](std::string name, std::int64_t rows, std::int64_t width, int shift = 0, int x_shift = 0,
                       std::int64_t gap = 0, int step = 1) {
    for (const auto& [in, out] : {std::pair{dtype::f16, dtype::f16},
                                  {dtype::bf16, dtype::bf16},
                                  {dtype::f32, dtype::f32},
                                  {dtype::f16, dtype::f32}}) {
      std::string dtypes(name_of(in));
      if (out != in) dtypes += "_to_" + std::string(name_of(out));
      all.push_back({name + "_" + dtypes, rows, width, in, out, shift, x_shift, gap, step});
    }
  };
  for (const std::int64_t width : {1, 8, 49, 128, 512, 768, 1000, 1023, 2048, 4096, 16384, 32768, 50257, 131072}) {
    add("w" + std::to_string(width), 1024, width);
  }
  add("w64_base_off_by_one", 1024, 64, 1);
  add("w4096_base_off_by_one", 1024, 4096, 1);
  add("w512_x_off_by_one", 1024, 512, 0, 1);
  add("w1001_gap", 1024, 1001, 0, 0, 8);
  add("w257_strided", 1024, 257, 0, 0, 0, 3);
  return all;
}

}  // namespace rowsmith::test
