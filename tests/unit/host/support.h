// What the host suites share: compiling hand-written instantiations through the backend, memory with a guard page at
// both ends, storage types on the CPU, and the float64 reference of softmax with its error bound.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/host/host_backend.h"

namespace rowsmith::host_test {

// A compiler and a CPU to compile for: every one that this machine has and can run.
struct toolchain {
  std::string compiler;
  std::string target;
};
std::vector<toolchain> toolchains();
std::string name_of(const toolchain& t);  // "gxx_avx512", for test names

// `text` after kernel_src's headers for the host, ready for backend::compile.
source instantiate(const std::string& entry, const std::string& text);

// Compiles a text of several kernels once; loads them one by one. Failures are test failures.
class kernels {
 public:
  kernels(const toolchain& with, const std::string& text, const std::string& first_entry);
  std::unique_ptr<loaded_kernel> load(const std::string& entry, int rows_per_block = 3) const;
  bool ok() const { return !code_.empty(); }

 private:
  std::unique_ptr<backend> backend_;
  bytes code_;
};

// row_args<2, 7>, as kernel_src/row/arguments.h lays it out.
struct argument_block {
  struct operand {
    const void* data = nullptr;
    std::int64_t type = 0;
    std::int64_t stride[7] = {};
    std::int64_t inner_stride = 1;
  };
  std::int64_t items = 0, rows = 0, width = 0, blocks = 0;
  std::uint64_t options = 0;
  void* workspace = nullptr;
  float param[8] = {};
  std::int64_t extent[7] = {1, 1, 1, 1, 1, 1, 1};
  std::int64_t inner_extent = 1;
  operand op[2];
};

status launch(const loaded_kernel& k, argument_block& a);

// `size` bytes that end (or begin) exactly at a page that cannot be touched; the page on the other side cannot either.
class guarded {
 public:
  enum class place { at_end, at_begin };
  guarded(std::size_t size, place where);
  ~guarded();
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  void* data() const { return data_; }

 private:
  void* map_ = nullptr;
  std::size_t mapped_ = 0;
  void* data_ = nullptr;
};

double get(const void* p, dtype t, std::int64_t i);        // element i
void put(void* p, dtype t, std::int64_t i, double value);  // rounded to nearest even
double half_ulp(dtype t, double y);                        // of the type, at y

// softmax of `x` in float64 with the NaN rules of the contract, and for every element the bound that its error must
// keep.
struct reference {
  std::vector<double> y;
  std::vector<double> bound;
};
reference softmax_reference(const std::vector<double>& x, dtype out, bool accurate);

// Compares; the message names the element.
testing::AssertionResult within(const reference& want, const std::vector<double>& got);

}  // namespace rowsmith::host_test
