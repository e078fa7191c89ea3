// Many rows, none, and rows that lie further apart than 32 bits reach.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "support/element.h"
#include "support/softmax_check.h"
#include "support/sparse_memory.h"
#include "support/tolerance.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class sizes : public on_device {
 protected:
  static std::int64_t memory_bytes() {
    for (const device_description& d : devices()) {
      if (d.device == under_test().where) return d.memory_bytes;
    }
    return 0;
  }
};

// The rows at the corners of a dense tensor: the first and the last index of every outer axis. Their view has two
// indices an axis, as far apart as the corners are.
void check_corners(const dims& shape, dtype type) {
  const std::int64_t width = shape.back();
  const dims stride = dense_strides(shape);
  const std::size_t bytes = static_cast<std::size_t>(count(shape)) * size_of(type);
  const sparse_memory x(bytes), y(bytes);
  if (x.data() == nullptr || y.data() == nullptr) GTEST_SKIP() << "no room for two tensors of " << bytes << " bytes";
  tensor_view vx, vy;
  vx.dtype = type;
  vx.device = under_test().where;
  vx.rank = static_cast<std::int32_t>(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool outer = i + 1 < shape.size();
    vx.shape[i] = outer ? std::min<std::int64_t>(shape[i], 2) : width;
    vx.stride[i] = outer ? stride[i] * std::max<std::int64_t>(shape[i] - 1, 1) : 1;
  }
  vy = vx;
  vx.data = x.data();
  vy.data = y.data();

  std::vector<std::int64_t> starts = {0};
  for (int i = 0; i + 1 < vx.rank; ++i) {
    if (vx.shape[i] != 2) continue;
    for (std::size_t n = starts.size(), k = 0; k < n; ++k) starts.push_back(starts[k] + vx.stride[i]);
  }
  const std::size_t row_bytes = static_cast<std::size_t>(width) * size_of(type);
  std::vector<char> raw(row_bytes);
  const auto row = [&](std::size_t n) { return normal(width, 2, static_cast<unsigned>(n)); };
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const std::vector<float> values = row(n);
    for (std::size_t i = 0; i < values.size(); ++i) put(&raw[i * size_of(type)], type, values[i]);
    const std::size_t at = static_cast<std::size_t>(starts[n]) * size_of(type);
    ASSERT_TRUE(copy(vx.device, x.data() + at, raw.data(), row_bytes).ok());
    std::memset(raw.data(), output_poison, row_bytes);
    ASSERT_TRUE(copy(vx.device, y.data() + at, raw.data(), row_bytes).ok());
  }
  const status called = softmax(vx, vy);
  ASSERT_TRUE(called.ok()) << called.to_string();
  ASSERT_TRUE(synchronize(vx.device).ok());
  for (std::size_t n = 0; n < starts.size(); ++n) {
    ASSERT_TRUE(
        copy(vx.device, raw.data(), y.data() + static_cast<std::size_t>(starts[n]) * size_of(type), row_bytes).ok());
    std::vector<float> got, in = row(n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
      got.push_back(get(&raw[i * size_of(type)], type));
      put(&in[i], type, in[i]);
      in[i] = get(&in[i], type);
    }
    EXPECT_TRUE(within(softmax_reference(in, type, type == dtype::f32), got)) << "the row at element " << starts[n];
  }
}

TEST_F(sizes, B1_rows_more_than_2_to_31_elements_apart) {
  for (const std::int64_t width : {49, 512, 4096, 50257}) {
    // Three rows: the last starts at element 2^31 and more.
    check_corners({3, (std::int64_t{1} << 30) / width + 1, width}, dtype::f16);
  }
}

TEST_F(sizes, B2_the_corners_of_6e9_elements) { check_corners({1, 5120, 8, 384, 384}, dtype::bf16); }

TEST_F(sizes, B6_the_corners_of_more_than_2_to_32_elements) { check_corners({669, 128, 50259}, dtype::f16); }

TEST_F(sizes, B9_a_stride_beyond_32_bits_where_there_is_one_index) {
  softmax_call c;
  c.shape = {3, 1, 64};
  c.x_stride = {64, std::int64_t{1} << 40, 1};
  c.y_stride = {64, -(std::int64_t{1} << 41), 1};
  check_softmax(c, normal(3 * 64));
  c.shape = {3, 64, 1};
  c.x_stride = {64, 1, std::int64_t{1} << 40};
  c.y_stride = {64, 1, 0};
  check_softmax(c, normal(3 * 64));
}

TEST_F(sizes, C1_C2_more_rows_than_65535) {
  for (const dtypes type : {f16, f32}) {
    for (const auto& [rows, width] : {std::pair<std::int64_t, std::int64_t>{128 * 512, 96}, {131072, 8}, {131070, 3}}) {
      softmax_call c;
      c.type = type;
      c.shape = {rows, width};
      check_softmax(c, normal(1009 * width));
    }
  }
}

TEST_F(sizes, C7_an_axis_of_two_before_70000) {
  softmax_call c;
  c.shape = {2, 70000};
  c.axis = 0;
  check_softmax(c, normal(2 * 70000));
  c.type = f32;
  check_softmax(c, normal(2 * 70000));
}

// Every block or task takes many tiles.
TEST_F(sizes, rows_for_many_rounds_of_every_block) {
  const std::int64_t much = under_test().on_host() ? 1 << 20 : 1 << 24;
  for (const std::int64_t width : {7, 49, 64, 1000, 1001, 4096, 50257}) {
    softmax_call c;
    c.shape = {much / width + 1, width};
    c.in_place = width == 49;
    check_softmax(c, normal(97 * width));
  }
}

TEST_F(sizes, G2_G3_tensors_without_elements) {
  for (const dims& shape : {dims{0, 3, 2, 7}, dims{0, 7168}, dims{5, 0}, dims{0}, dims{3, 0, 4}}) {
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
      softmax_call c;
      c.shape = shape;
      c.axis = axis;
      const std::uint64_t before = counters().calls_missed;
      check_softmax(c, {1});
      EXPECT_EQ(counters().calls_missed, before) << "nothing is built for nothing";
    }
  }
  tensor_view nothing = dense(nullptr, dtype::f16, {0, 7168}, under_test().where);
  EXPECT_TRUE(softmax(nothing).ok());
  EXPECT_TRUE(softmax(nothing, nothing).ok());
}

}  // namespace
}  // namespace rowsmith::test
