// tensor: a strided tensor on any device whose surroundings are watched. On the host it lies between two pages that
// cannot be touched; on a device between zones of poison. Everything that is not an element is poison, and is compared
// afterwards.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "rowsmith/runtime.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

using dims = std::vector<std::int64_t>;

dims dense_strides(const dims& shape);
std::int64_t count(const dims& shape);

// Which end of a host tensor touches a forbidden page.
enum class edge { begin, end };

struct placement {
  edge tight = edge::end;
  int phase = -1;  // elements by which its first byte is off a 16-byte boundary (leaves less than 16 bytes of poison
                   // before the page at the tight end); -1: what the edge gives
};

// What lies around the elements, and in them before the first write. An input's is NaN in every type: whoever reads it
// spoils a result. An output's is negative and finite in every type: no op here writes it.
constexpr unsigned char input_poison = 0xff, output_poison = 0xc7;

class tensor {
 public:
  // Strides in elements; empty: dense.
  tensor(device where, dtype type, dims shape, dims stride = {}, placement at = {},
         unsigned char poison = input_poison);
  ~tensor();
  tensor(const tensor&) = delete;
  tensor& operator=(const tensor&) = delete;

  tensor_view view() const;

  // Element i, in row-major order of the shape, becomes values[i modulo their number].
  void write(const std::vector<float>& values);
  // The same for a tensor of whole numbers.
  void write_whole(const std::vector<std::int64_t>& values);
  // The same with elements as they are stored.
  void write_bits(const std::vector<unsigned char>& bits);
  // What was written, as the type stores it.
  std::vector<float> written() const { return decode(before_); }

  // Takes what the device holds now. REQUIRES: the device is done with it. The functions below are about it.
  void fetch();
  std::vector<float> read() const { return decode(now_); }
  std::vector<unsigned char> bits() const;  // of the elements, in row-major order
  testing::AssertionResult unchanged() const;
  testing::AssertionResult only_elements_changed() const;

 private:
  template <class F>
  void for_each_element(F f) const;
  std::vector<float> decode(const std::vector<unsigned char>& block) const;
  testing::AssertionResult same(const std::vector<unsigned char>& want) const;

  device where_;
  dtype type_;
  dims shape_, stride_;
  void* map_ = nullptr;  // host: with the forbidden pages
  std::size_t mapped_ = 0;
  char* block_ = nullptr;  // elements and poison
  std::size_t first_ = 0;  // where in the block element 0 lies
  std::vector<unsigned char> before_, now_;
};

}  // namespace rowsmith::test
