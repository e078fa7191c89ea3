// sparse_memory: room for a tensor that is far too large to be filled.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "support/softmax_check.h"

namespace rowsmith::test {

// Memory of which only the touched pages exist on the host; all of it on a device.
class sparse_memory {
 public:
  explicit sparse_memory(std::size_t bytes) : bytes_(bytes) {
    if (under_test().on_host()) {
      void* map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      data_ = map == MAP_FAILED ? nullptr : static_cast<char*>(map);
    } else if (const result<void*> got = allocate(under_test().where, bytes); got) {
      data_ = static_cast<char*>(*got);
    }
  }
  ~sparse_memory() {
    if (data_ == nullptr) return;
    if (under_test().on_host())
      ::munmap(data_, bytes_);
    else
      EXPECT_TRUE(release(under_test().where, data_).ok());
  }
  sparse_memory(const sparse_memory&) = delete;
  sparse_memory& operator=(const sparse_memory&) = delete;
  char* data() const { return data_; }

 private:
  std::size_t bytes_;
  char* data_ = nullptr;
};

}  // namespace rowsmith::test
