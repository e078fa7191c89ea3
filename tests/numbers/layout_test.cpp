// Where operands lie: bases, gaps, strides, axes, in place. Every test checks every element and every byte around.
#include <gtest/gtest.h>

#include <tuple>

#include "support/softmax_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class layouts : public on_device {
 protected:
  // Widths of every mechanism; few on the host, which has two.
  static std::vector<std::int64_t> some_widths() {
    if (under_test().on_host()) return {49, 512};
    return {49, 64, 512, 1001, 4096, 16384, 50257};
  }
};

TEST_F(layouts, F16_F17_bases_at_any_element) {
  for (const std::int64_t width : some_widths()) {
    for (const dtypes type : {f16, f32}) {
      for (int phase = 1; phase < 16 / static_cast<int>(size_of(type.in)); ++phase) {
        softmax_call c;
        c.type = type;
        c.shape = {5, width};
        c.x_at.phase = c.y_at.phase = phase;
        check_softmax(c, normal(5 * width));
      }
    }
  }
}

TEST_F(layouts, F17_operands_are_misaligned_each_in_its_own_way) {
  for (const std::int64_t width : some_widths()) {
    for (const auto& [x_phase, y_phase] : {std::pair{1, 0}, {0, 1}, {3, 2}, {2, 7}}) {
      for (const dtypes type : {f16, f16_to_f32, f32_to_bf16}) {
        if (under_test().on_host() && type.in != type.out && x_phase != 1) continue;
        softmax_call c;
        c.type = type;
        c.shape = {5, width};
        c.x_at.phase = x_phase;
        c.y_at.phase = y_phase;
        check_softmax(c, normal(5 * width));
      }
    }
  }
}

// Rows that start at every element of a 16-byte boundary in turn, with poison between them: both ends are ragged.
// Widths around those at which a wave, a block or a thread's registers are full.
TEST_F(layouts, F16_F18_rows_at_every_phase_in_turn) {
  std::vector<std::int64_t> all = {1,    2,    5,     9,     49,    65,    505,   1015,  1016,  1017, 1018,
                                   3001, 4097, 16377, 16381, 16385, 32760, 32761, 32763, 50257, 65537};
  if (under_test().on_host()) all = {5, 49, 1017};
  for (const std::int64_t width : all) {
    for (const dtypes type : {f16, f32, f16_to_f32}) {
      softmax_call c;
      c.type = type;
      c.shape = {17, width};
      c.x_stride = c.y_stride = {width + 8 - (width + 7) % 8, 1};  // 1 modulo 8
      c.x_at.phase = c.y_at.phase = 1;
      check_softmax(c, normal(17 * width, 2));
    }
  }
}

TEST_F(layouts, in_place_at_any_base) {
  for (const std::int64_t width : some_widths()) {
    for (const dtypes type : {f16, bf16, f32}) {
      for (const int phase : {0, 1}) {
        softmax_call c;
        c.type = type;
        c.shape = {37, width};
        c.in_place = true;
        c.x_at.phase = phase;
        check_softmax(c, normal(37 * width));
      }
    }
  }
}

// 16 bits of another kind in place: the same window, another type.
TEST_F(layouts, in_place_from_f16_to_bf16) {
  for (const std::int64_t width : some_widths()) {
    tensor x(under_test().where, dtype::f16, {9, width}, {}, {}, output_poison);
    x.write(normal(9 * width));
    tensor_view y = x.view();
    y.dtype = dtype::bf16;
    ASSERT_TRUE(softmax(x.view(), y).ok());
    ASSERT_TRUE(synchronize(under_test().where).ok());
    softmax_call c;
    c.type = {dtype::f16, dtype::bf16};
    c.shape = {9, width};
    x.fetch();
    EXPECT_EQ(x.bits(), check_softmax(c, normal(9 * width)).bits);
  }
}

TEST_F(layouts, F3_gaps_between_rows_differ_between_operands) {
  for (const std::int64_t width : some_widths()) {
    for (const auto& [x_gap, y_gap] : {std::pair{8, 8}, {1, 1}, {3, 0}, {0, 16}, {5, 2}}) {
      softmax_call c;
      c.shape = {19, width};
      c.x_stride = {width + x_gap, 1};
      c.y_stride = {width + y_gap, 1};
      check_softmax(c, normal(19 * width));
    }
  }
}

TEST_F(layouts, F3_F7_strides_within_a_row_differ_between_operands) {
  for (const std::int64_t width : some_widths()) {
    for (const auto& [x_step, y_step] : {std::pair{3, 1}, {1, 2}, {2, 5}}) {
      for (const dtypes type : {f16, f32_to_bf16}) {
        softmax_call c;
        c.type = type;
        c.shape = {7, width};
        c.x_stride = {width * x_step + 1, x_step};
        c.y_stride = {width * y_step, y_step};
        check_softmax(c, normal(7 * width));
      }
    }
  }
}

TEST_F(layouts, F5_F7_any_axis_of_a_dense_tensor) {
  for (const dtypes type : {f16, f32}) {
    for (int axis = -4; axis < 4; ++axis) {
      softmax_call c;
      c.type = type;
      c.shape = {3, 5, 33, 8};
      c.axis = axis;
      check_softmax(c, normal(count(c.shape)));
    }
  }
}

TEST_F(layouts, F5_permuted_views) {
  softmax_call c;
  c.shape = {6, 4, 5, 72};  // memory: [5, 4, 6, 72], then [72, 6, 5, 4]
  c.x_stride = {72, 6 * 72, 4 * 6 * 72, 1};
  check_softmax(c, normal(count(c.shape)));
  c.y_stride = c.x_stride;
  check_softmax(c, normal(count(c.shape)));
  c.x_stride = {5 * 4, 1, 4, 6 * 5 * 4};
  check_softmax(c, normal(count(c.shape)));
  c.y_stride = c.x_stride;
  c.axis = 1;
  check_softmax(c, normal(count(c.shape)));
}

TEST_F(layouts, eight_axes_that_do_not_merge) {
  softmax_call c;
  c.shape = {2, 3, 2, 2, 3, 2, 2, 17};
  c.x_stride = dense_strides({2, 3, 3, 2, 4, 2, 3, 18});
  c.y_stride = dense_strides({2, 4, 2, 3, 3, 3, 2, 19});
  check_softmax(c, normal(count(c.shape)));
  c.axis = 4;
  check_softmax(c, normal(count(c.shape)));
}

TEST_F(layouts, inputs_that_repeat_by_stride_zero) {
  for (const std::int64_t width : some_widths()) {
    softmax_call c;
    c.shape = {11, width};
    c.x_stride = {0, 1};  // one row for all
    check_softmax(c, normal(width));
    c.x_stride = {1, 0};  // one element a row: flat rows
    check_softmax(c, constant(1, 3));
    c.x_stride = {0, 0};
    check_softmax(c, constant(1, -7));
  }
}

TEST_F(layouts, strides_below_zero) {
  for (const std::int64_t width : some_widths()) {
    softmax_call c;
    c.shape = {9, width};
    c.x_stride = {-width, 1};
    check_softmax(c, normal(9 * width));
    c.x_stride = {width, -1};
    check_softmax(c, normal(9 * width));
    c.y_stride = {-(width + 1), -1};
    check_softmax(c, normal(9 * width));
    c.x_stride = c.y_stride = {-width, -1};
    c.in_place = true;
    check_softmax(c, normal(9 * width));
  }
}

// Two halves of one buffer, interleaved element by element and row by row: no byte in common, hence legal.
TEST_F(layouts, interleaved_operands_of_one_buffer) {
  const std::int64_t rows = 13, width = 65;
  for (const bool by_row : {false, true}) {
    tensor both(under_test().where, dtype::f16, {2, rows, width},
                by_row ? dims{width, 2 * width, 1} : dims{1, 2 * width, 2}, {}, output_poison);
    const std::vector<float> values = normal(2 * rows * width);
    both.write(values);
    tensor_view x = both.view(), y = both.view();
    const std::int64_t apart = x.stride[0];
    y.data = static_cast<std::uint16_t*>(y.data) + apart;
    for (tensor_view* v : {&x, &y}) {
      v->rank = 2;
      for (int i = 0; i < 2; ++i) v->shape[i] = v->shape[i + 1], v->stride[i] = v->stride[i + 1];
    }
    const status s = softmax(x, y);
    ASSERT_TRUE(s.ok()) << s.to_string();
    ASSERT_TRUE(synchronize(under_test().where).ok());
    both.fetch();
    EXPECT_TRUE(both.only_elements_changed());
    const std::vector<float> got = both.read();
    softmax_call c;
    c.shape = {rows, width};
    const std::vector<float> want =
        check_softmax(c, std::vector<float>(values.begin(), values.begin() + rows * width)).y;
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[want.size() + i], want[i], 1e-3) << i;
  }
}

}  // namespace
}  // namespace rowsmith::test
