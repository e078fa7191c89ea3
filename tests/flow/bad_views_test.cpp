// Values that no view or option may have are refused, by public calls alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "rowsmith/rowsmith.h"

namespace rowsmith {
namespace {

class bad_views : public testing::Test {
 protected:
  tensor_view x(device where = {}) { return dense(in_.data(), dtype::f32, {4, 8}, where); }
  tensor_view y(device where = {}) { return dense(out_.data(), dtype::f32, {4, 8}, where); }
  void TearDown() override {
    for (const float v : out_) ASSERT_EQ(v, 7) << "a refused call wrote";
  }
  static void refused(const status& s) { EXPECT_EQ(s.error(), code::invalid_argument) << s.to_string(); }
  std::vector<float> in_ = std::vector<float>(64, 1), out_ = std::vector<float>(64, 7);
};

TEST_F(bad_views, every_dtype_beyond_the_enumeration) {
  for (int value = 0; value < 256; ++value) {
    if (value >= 1 && value <= 3) continue;
    tensor_view a = x(), b = y();
    a.dtype = static_cast<dtype>(value);
    refused(softmax(a, y()));
    b.dtype = static_cast<dtype>(value);
    refused(softmax(x(), b));
  }
}

TEST_F(bad_views, device_indices_that_do_not_fit_the_fingerprint) {
  for (const device_kind kind : {device_kind::host, device_kind::null}) {
    for (const std::int32_t index : {-1, 1, 65535, 65536, -65536, 131072, INT32_MAX, INT32_MIN}) {
      const status s = softmax(x({kind, index}), y({kind, index}));
      EXPECT_FALSE(s.ok()) << index;
      EXPECT_NE(s.message().find(std::to_string(index)), std::string::npos) << s.message();  // what was found
    }
  }
}

TEST_F(bad_views, option_values_that_are_none) {
  for (const int mode : {3, 77, 255}) refused(softmax(x(), y(), softmax_options{}.exp(static_cast<exp_mode>(mode))));
  for (const std::uint32_t size : {0u, 3u, 0xffffffffu}) {
    softmax_options o;
    o.struct_size = size;
    refused(softmax(x(), y(), o));
  }
}

// Offsets in bytes that leave 64 bits wrap around: 2^62 floats are 2^64 bytes, so that all rows would be one.
TEST_F(bad_views, strides_and_shapes_whose_bytes_do_not_fit) {
  for (const std::int64_t s : {INT64_MIN, INT64_MAX, INT64_MIN + 1, INT64_MAX / 4, std::int64_t{1} << 61,
                               std::int64_t{1} << 62, -(std::int64_t{1} << 62)}) {
    for (const int axis : {0, 1}) {
      tensor_view a = x(), b = y();
      a.stride[axis] = s;
      refused(softmax(a, y()));
      b.stride[axis] = s;
      refused(softmax(x(), b));
      refused(softmax(b));
    }
  }
  const device null{device_kind::null, 0};
  for (const std::int64_t n : {std::int64_t{1} << 61, std::int64_t{1} << 62, INT64_MAX}) {
    refused(softmax(dense(out_.data(), dtype::f32, {n}, null)));
  }
}

}  // namespace
}  // namespace rowsmith
