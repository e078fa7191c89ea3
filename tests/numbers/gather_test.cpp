// Rows picked by an index, and rows added back to where they came from.
#include <gtest/gtest.h>

#include <cstring>

#include "support/element.h"
#include "support/rows_check.h"
#include "support/sparse_memory.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class gathers : public on_device {
 protected:
  // Rows in no order, with -1 among them, and some twice.
  static std::vector<std::int64_t> mixed(std::int64_t n, std::int64_t rows) {
    std::vector<std::int64_t> index;
    for (std::int64_t i = 0; i < n; ++i) index.push_back(i % 7 == 3 ? -1 : (i * 7919 + i / 5) % rows);
    return index;
  }
  static std::vector<std::int64_t> widths() {
    if (under_test().on_host()) return {1, 49, 192};
    return {1, 8, 49, 64, 192, 384, 1000, 1001, 4096, 8192, 50257};
  }
};

TEST_F(gathers, J6_any_width_and_dtype) {
  for (const std::int64_t width : widths()) {
    for (const dtypes type : every_dtype) {
      for (const dtype index_type : {dtype::i32, dtype::i64}) {
        if (under_test().on_host() && index_type == dtype::i64 && type.in != type.out) continue;
        gather_call c;
        c.type = type;
        c.index_type = index_type;
        c.table_rows = 29;
        c.index_shape = {53};
        c.row_shape = {width};
        check_gather(c, mixed(53, 29), normal(29 * width));
        check_gather_backward(c, mixed(53, 29), normal(53 * width));
      }
    }
  }
}

TEST_F(gathers, J1_J2_J3_J4_J5_no_index_outside_is_an_address) {
  gather_call c;
  c.index_type = dtype::i64;
  c.table_rows = 5;
  c.index_shape = {12};
  c.row_shape = {64};
  const std::int64_t far = std::int64_t{1} << 62;
  const std::vector<std::int64_t> index = {0, -1, 5, 4, -2, far, -far, 1 << 30, INT64_MIN, INT64_MAX, 4, 6};
  for (const edge tight : {edge::begin, edge::end}) {
    c.table_at.tight = c.rows_at.tight = tight;
    check_gather(c, index, normal(5 * 64));
    check_gather_backward(c, index, normal(12 * 64));
  }
}

TEST_F(gathers, J2_checked_names_the_first_wrong_entry) {
  gather_call c;
  c.table_rows = 5;
  c.index_shape = {2, 3};
  c.row_shape = {8};
  c.options.checked();
  check_gather(c, {0, 1, -1, 4, 3, 2}, normal(40));
  check_gather_backward(c, {0, 1, -1, 4, 3, 2}, normal(48));
  const device where = under_test().where;
  tensor x(where, dtype::f16, {5, 8}), y(where, dtype::f16, {2, 3, 8}, {}, {}, output_poison);
  tensor index(where, dtype::i32, {2, 3}, {-3, 1});
  x.write(normal(40));
  for (const std::int64_t wrong : {std::int64_t{5}, std::int64_t{-2}}) {
    index.write_whole({0, 1, -1, 4, wrong, 9});
    const status s = gather_rows(x.view(), index.view(), y.view(), rows_options().checked());
    EXPECT_EQ(s.error(), code::invalid_argument);
    EXPECT_NE(s.message().find("index[1, 1]: is " + std::to_string(wrong)), std::string::npos) << s.to_string();
    y.fetch();
    EXPECT_TRUE(y.unchanged());
  }
}

// Signalling NaNs with payloads are moved as they are.
TEST_F(gathers, equal_dtypes_keep_every_bit) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32}) {
    for (const std::int64_t width : {5, 64}) {
      const std::size_t size = size_of(type);
      tensor x(under_test().where, type, {3, width}), y(under_test().where, type, {4, width}, {}, {}, output_poison);
      tensor index(under_test().where, dtype::i32, {4});
      std::vector<unsigned char> bits(3 * static_cast<std::size_t>(width) * size);
      for (std::size_t i = 0; i < bits.size(); ++i) {
        const bool top = i % size == size - 1, next = i % size == size - 2;
        bits[i] = top ? (i % 3 == 0 ? 0xff : 0x7f) : next ? 0x81 : static_cast<unsigned char>(i + 1);
        if (next && type == dtype::f16) bits[i] = static_cast<unsigned char>(i + 1);
        if (top && type == dtype::f16) bits[i] = i % 3 == 0 ? 0xfd : 0x7c;
      }
      x.write_bits(bits);
      index.write_whole({2, -1, 0, 2});
      ASSERT_TRUE(gather_rows(x.view(), index.view(), y.view()).ok());
      ASSERT_TRUE(synchronize(under_test().where).ok());
      y.fetch();
      const std::size_t row = bits.size() / 3;
      std::vector<unsigned char> want(bits.begin() + static_cast<std::ptrdiff_t>(2 * row), bits.end());
      want.resize(2 * row);
      want.insert(want.end(), bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(row));
      want.insert(want.end(), bits.begin() + static_cast<std::ptrdiff_t>(2 * row), bits.end());
      EXPECT_EQ(y.bits(), want);
    }
  }
}

TEST_F(gathers, F5_F16_any_strides_and_bases) {
  for (const int phase : {0, 1, 3}) {
    gather_call c;
    c.table_rows = 11;
    c.index_shape = {4, 5};
    c.row_shape = {6, 10};
    c.table_at.phase = c.rows_at.phase = phase;
    c.index_stride = {1, 4};
    check_gather(c, mixed(20, 11), normal(660));
    check_gather_backward(c, mixed(20, 11), normal(1200));
    c.table_stride = {-61, 10, 1};
    c.rows_stride = {60, 240, 1, 6};  // rows turned: their axes do not merge
    check_gather(c, mixed(20, 11), normal(660));
    check_gather_backward(c, mixed(20, 11), normal(1200));
    c.table_stride = {130, 20, 2};
    check_gather(c, mixed(20, 11), normal(660));
    check_gather_backward(c, mixed(20, 11), normal(1200));
  }
}

TEST_F(gathers, J7_many_rows) {
  gather_call c;
  c.table_rows = 65536 + 77;
  c.index_shape = {70001};
  c.row_shape = {24};
  const auto index = mixed(70001, c.table_rows);
  check_gather(c, index, normal(c.table_rows * 24));
  check_gather_backward(c, index, normal(70001 * 24));
}

// More than 2^31 elements, whose last rows are asked for.
TEST_F(gathers, B1_B12_a_table_beyond_32_bits) {
  const std::int64_t rows = 262144, width = 8960;
  const sparse_memory memory(static_cast<std::size_t>(rows * width) * 2);
  if (memory.data() == nullptr) GTEST_SKIP() << "no room for the table";
  const device where = under_test().where;
  const std::vector<std::int64_t> index = {rows - 1, 0, 239674, -1, rows, rows - 1};
  std::vector<unsigned char> row(static_cast<std::size_t>(width) * 2);
  for (const std::int64_t r : {std::int64_t{0}, std::int64_t{239674}, rows - 1}) {
    for (std::int64_t i = 0; i < width; ++i)
      put(&row[static_cast<std::size_t>(2 * i)], dtype::f16, static_cast<float>(i % 100 + r % 7));
    ASSERT_TRUE(copy(where, memory.data() + r * width * 2, row.data(), row.size()).ok());
  }
  tensor i(where, dtype::i64, {6}), y(where, dtype::f16, {6, width}, {}, {}, output_poison);
  i.write_whole(index);
  const tensor_view x = dense(memory.data(), dtype::f16, {rows, width}, where);
  ASSERT_TRUE(gather_rows(x, i.view(), y.view()).ok());
  ASSERT_TRUE(synchronize(where).ok());
  y.fetch();
  const std::vector<float> got = y.read();
  for (std::size_t r = 0; r < index.size(); ++r) {
    const bool there = index[r] >= 0 && index[r] < rows;
    for (std::int64_t e = 0; e < width; ++e) {
      const float want = there ? static_cast<float>(e % 100 + index[r] % 7) : 0;
      ASSERT_EQ(got[r * static_cast<std::size_t>(width) + static_cast<std::size_t>(e)], want) << r << ", " << e;
    }
  }
}

// From no row twice to all rows the same: lists shorter and longer than what is sorted at once.
TEST_F(gathers, J7_H5_duplicates_are_added_in_order_and_always_alike) {
  for (const std::int64_t n : {1, 2, 4, 5, 9, 100, 5000}) {
    for (const dtypes type : {f16, f32}) {
      if (under_test().on_host() && type.in == dtype::f16 && n != 9) continue;
      gather_call c;
      c.type = type;
      c.table_rows = 3;
      c.index_shape = {n};
      c.row_shape = {40};
      const std::vector<std::int64_t> index(static_cast<std::size_t>(n), 1);
      const auto bits = check_gather_backward(c, index, normal(n * 40));
      for (int again = 0; again < 3; ++again) EXPECT_EQ(check_gather_backward(c, index, normal(n * 40)), bits);
    }
  }
  gather_call c;
  c.type = f32;
  c.table_rows = 50;
  c.index_shape = {4000};
  c.row_shape = {40};
  const auto index = mixed(4000, 50);
  const auto bits = check_gather_backward(c, index, normal(4000 * 40, 100));
  for (int again = 0; again < 3; ++again) EXPECT_EQ(check_gather_backward(c, index, normal(4000 * 40, 100)), bits);
}

// Equal terms round the same way each time: a plain chain would leave the bound.
TEST_F(gathers, J7_equal_terms) {
  gather_call c;
  c.type = f32;
  c.table_rows = 1;
  c.index_shape = {20000};
  c.row_shape = {8};
  check_gather_backward(c, std::vector<std::int64_t>(20000, 0), constant(1, 0.1f));
}

// A sum of finite terms beyond fp32 is an infinity, whatever is added to it then.
TEST_F(gathers, sums_that_overflow) {
  gather_call c;
  c.type = f32;
  c.table_rows = 2;
  c.index_shape = {4};
  c.row_shape = {9};
  std::vector<float> dy(36, 3e38f);
  for (std::size_t i = 27; i < 36; ++i) dy[i] = 1.0f;
  check_gather_backward(c, {1, 1, 1, 1}, dy);
}

TEST_F(gathers, G1_G2_G3_no_rows_and_no_elements) {
  gather_call c;
  c.table_rows = 4;
  c.index_shape = {0};
  c.row_shape = {16};
  check_gather(c, {}, normal(64));
  check_gather_backward(c, {}, {});  // dx is all +0
  c.table_rows = 0;
  c.index_shape = {3};
  check_gather(c, {0, -1, 2}, {});  // y is all +0
  check_gather_backward(c, {0, -1, 2}, normal(48));
  c.table_rows = 4;
  c.row_shape = {0};
  check_gather(c, {0, -1, 2}, {});
  check_gather_backward(c, {0, -1, 2}, normal(1));
}

TEST_F(gathers, a_workspace_of_the_caller_or_a_typed_error) {
  const device where = under_test().where;
  tensor dy(where, dtype::f32, {6, 16}), dx(where, dtype::f32, {3, 16}, {}, {}, output_poison),
      index(where, dtype::i32, {6});
  dy.write(normal(96));
  index.write_whole({0, 1, 0, 2, -1, 0});
  const auto memory = allocate(where, 256);
  ASSERT_TRUE(memory.ok());
  EXPECT_TRUE(gather_rows_backward(dy.view(), index.view(), dx.view(), rows_options().workspace(*memory, 72)).ok());
  ASSERT_TRUE(synchronize(where).ok());
  if (!(under_test().scalar && !under_test().on_host())) {
    const status s = gather_rows_backward(dy.view(), index.view(), dx.view(), rows_options().workspace(*memory, 71));
    EXPECT_EQ(s.error(), code::invalid_argument) << s.to_string();
  }
  EXPECT_TRUE(release(where, *memory).ok());
}

TEST_F(gathers, refusals_name_the_argument) {
  const device where = under_test().where;
  tensor x(where, dtype::f16, {5, 8}), y(where, dtype::f16, {3, 8}), index(where, dtype::i32, {3}),
      other(where, dtype::i32, {4});
  const auto refused = [](const status& s, const char* what) {
    EXPECT_EQ(s.error(), code::invalid_argument);
    EXPECT_NE(s.message().find(what), std::string::npos) << s.to_string();
  };
  refused(gather_rows(x.view(), other.view(), y.view()), "index");
  refused(gather_rows(x.view(), y.view(), y.view()), "index: dtype");
  refused(gather_rows(y.view(), index.view(), y.view()), "y: overlaps x");
  refused(gather_rows_backward(y.view(), index.view(), y.view()), "dx: overlaps dy");
  rows_options wrong;
  wrong.struct_size = 1;
  refused(gather_rows(x.view(), index.view(), y.view(), wrong), "struct_size");
}

}  // namespace
}  // namespace rowsmith::test
