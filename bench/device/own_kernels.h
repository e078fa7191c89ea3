// own_kernels: the yardsticks that are kernels themselves: a 16-byte copy, an empty kernel, and the naive softmax.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::bench {

class own_kernels {
 public:
  // Compiles them for device 0 through the CUDA backend. `in`, `out`: "f16", "f32", … of the naive softmax.
  static result<own_kernels> build(dtype in, dtype out);

  // Copies by 16-byte accesses: reads `in_bytes`, writes `out_bytes`, both multiples of 16.
  status copy(void* to, const void* from, std::size_t in_bytes, std::size_t out_bytes, stream on) const;
  status empty(stream on) const;
  // One thread a row, three passes over memory, scalar accesses: what the first version of such a kernel looks like.
  status naive(const void* x, void* y, std::int64_t rows, std::int64_t width, stream on) const;

 private:
  std::unique_ptr<loaded_kernel> copy_, empty_, naive_;
};

}  // namespace rowsmith::bench
