// own_kernels: the yardsticks that are kernels themselves and the same for every case: a 16-byte copy and an empty
// kernel.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/backend.h"

namespace rowsmith::bench {

class own_kernels {
 public:
  static result<own_kernels> build();

  // Copies by 16-byte accesses, every block its share of both sides: reads `in_bytes`, writes `out_bytes`, rounded up
  // to multiples of 16.
  status copy(void* to, const void* from, std::size_t in_bytes, std::size_t out_bytes, stream on) const;
  status empty(stream on) const;

 private:
  std::unique_ptr<loaded_kernel> copy_, empty_;
};

}  // namespace rowsmith::bench
