// own_kernels: the yardsticks that are kernels themselves and the same for every case: 16-byte copies and an empty
// kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/backend.h"

namespace rowsmith::bench {

class own_kernels {
 public:
  static result<own_kernels> build();

  // Copies by 16-byte accesses, every block its share of both sides: reads `in_bytes`, writes `out_bytes`, rounded up
  // to multiples of 16. `which`, below copies(): they differ in what caches are told.
  status copy(int which, void* to, const void* from, std::size_t in_bytes, std::size_t out_bytes, stream on) const;
  int copies() const noexcept { return static_cast<int>(copies_.size()); }
  status empty(stream on) const;

 private:
  std::vector<std::unique_ptr<loaded_kernel>> copies_;
  std::unique_ptr<loaded_kernel> empty_;
};

}  // namespace rowsmith::bench
