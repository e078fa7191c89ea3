#include "inspect/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "requests.h"

namespace rowsmith {
namespace {

using test::at;
using test::softmax_of;
using test::x_base;
using test::y_base;
using testing::HasSubstr;

facts look(const request& r) {
  facts f;
  const status s = inspect(r, &f);
  EXPECT_TRUE(s.ok()) << s.to_string();
  return f;
}

std::string refusal(const request& r) {
  facts f;
  const status s = inspect(r, &f);
  EXPECT_EQ(s.error(), code::invalid_argument);
  return s.message();
}

TEST(inspect, dense_tensor_collapses_to_rows) {
  const facts f = look(softmax_of({4, 32, 512, 512}));
  EXPECT_EQ(f.call.rows, 4 * 32 * 512);
  EXPECT_EQ(f.fixed.width, 512);
  EXPECT_EQ(f.fixed.outer_rank, 1);
  EXPECT_EQ(f.call.operands[0].stride[0], 512);
  EXPECT_TRUE(f.fixed.has(fact_dense));
  EXPECT_TRUE(f.fixed.has(fact_same_phase));
  EXPECT_FALSE(f.fixed.has(fact_in_place));
  EXPECT_EQ(f.fixed.operands[0].align, 16);
}

TEST(inspect, single_row_has_one_outer_axis_of_one) {
  const facts f = look(softmax_of({7}));
  EXPECT_EQ(f.call.rows, 1);
  EXPECT_EQ(f.fixed.outer_rank, 1);
  EXPECT_EQ(f.call.extent[0], 1);
  EXPECT_TRUE(f.fixed.has(fact_dense));
  EXPECT_EQ(f.fixed.operands[0].align, 16) << "the width of a single row says nothing about alignment";
}

TEST(inspect, odd_width_aligns_rows_to_an_element) {
  const facts f = look(softmax_of({10, 49}));
  EXPECT_EQ(f.fixed.operands[0].align, 2);
  EXPECT_TRUE(f.fixed.has(fact_dense));
  EXPECT_TRUE(f.fixed.has(fact_same_phase)) << "both rows wander alike";
}

TEST(inspect, case_F16_base_off_by_one_element) {
  const facts f = look(softmax_of({10, 64}, dtype::f16, dtype::f16, test::x_base + 2));
  EXPECT_EQ(f.fixed.operands[0].align, 2);
  EXPECT_EQ(f.fixed.operands[1].align, 16);
  EXPECT_FALSE(f.fixed.has(fact_same_phase));
  const facts both = look(softmax_of({10, 64}, dtype::f16, dtype::f16, test::x_base + 2, test::y_base + 2));
  EXPECT_TRUE(both.fixed.has(fact_same_phase));
}

TEST(inspect, phases_of_different_dtypes_agree_modulo_the_wider_ones_period) {
  EXPECT_TRUE(look(softmax_of({10, 50}, dtype::f16, dtype::f32)).fixed.has(fact_same_phase));
  // x is 4 halves past a boundary, y 4 floats: a whole period of y, so that packs of 8 line up for both.
  EXPECT_TRUE(look(softmax_of({1, 64}, dtype::f16, dtype::f32, test::x_base + 8)).fixed.has(fact_same_phase));
  EXPECT_FALSE(look(softmax_of({1, 64}, dtype::f16, dtype::f32, test::x_base + 2)).fixed.has(fact_same_phase));
}

TEST(inspect, any_axis_and_permuted_outer_axes) {
  request r = softmax_of({2, 3, 4});
  r.axis = 0;
  const facts f = look(r);
  EXPECT_EQ(f.fixed.width, 2);
  EXPECT_EQ(f.call.rows, 12);
  EXPECT_EQ(f.fixed.outer_rank, 1) << "the two faster axes merge";
  EXPECT_EQ(f.fixed.operands[0].inner, inner::strided);
  EXPECT_EQ(f.call.operands[0].stride[1], 12);

  tensor_view x = dense(at(test::x_base), dtype::f16, {6, 5, 8}), y = dense(at(test::y_base), dtype::f16, {6, 5, 8});
  x.stride[0] = y.stride[0] = 8, x.stride[1] = y.stride[1] = 48;  // the outer axes swapped in memory
  EXPECT_EQ(look(softmax_of(x, y)).fixed.outer_rank, 1) << "sorted by stride they merge";
  y.stride[0] = 40, y.stride[1] = 8;
  EXPECT_EQ(look(softmax_of(x, y)).fixed.outer_rank, 2) << "x and y disagree";
}

TEST(inspect, case_B9_huge_stride_on_an_axis_of_one) {
  tensor_view x = dense(at(test::x_base), dtype::f16, {1, 8, 64});
  x.stride[0] = std::int64_t{1} << 40;
  const facts f = look(softmax_of(x, dense(at(test::y_base), dtype::f16, {1, 8, 64})));
  EXPECT_EQ(f.fixed.outer_rank, 1);
  EXPECT_TRUE(f.fixed.has(fact_dense));
}

TEST(inspect, negative_and_zero_strides_of_an_input) {
  tensor_view x = dense(at(test::x_base), dtype::f32, {8, 64});
  x.stride[0] = -64;
  EXPECT_EQ(look(softmax_of(x, dense(at(test::y_base), dtype::f32, {8, 64}))).call.operands[0].stride[0], -64);
  x.stride[0] = 0, x.stride[1] = 0;
  EXPECT_EQ(look(softmax_of(x, dense(at(test::y_base), dtype::f32, {8, 64}))).fixed.operands[0].inner,
            inner::broadcast);
}

TEST(inspect, cases_G1_G2_G3_nothing_to_do_is_success_even_without_data) {
  for (const auto& shape : {tensor_view(dense(nullptr, dtype::f16, {0, 3, 2, 7})),
                            dense(nullptr, dtype::f16, {0, 7168}), dense(nullptr, dtype::f16, {5, 0})}) {
    EXPECT_TRUE(look(softmax_of(shape, shape)).call.nothing);
  }
}

TEST(inspect, in_place_needs_the_very_same_window) {
  const tensor_view x = dense(at(test::x_base), dtype::f16, {8, 64});
  EXPECT_TRUE(look(softmax_of(x, x)).fixed.has(fact_in_place));
  tensor_view shifted = x;
  shifted.data = at(test::x_base + 2);
  EXPECT_THAT(refusal(softmax_of(x, shifted)), HasSubstr("y: overlaps x"));
  tensor_view wider = x;
  wider.dtype = dtype::f32;
  EXPECT_THAT(refusal(softmax_of(x, wider)), HasSubstr("y: overlaps x"));
}

TEST(inspect, windows_that_interleave_without_a_common_byte_are_legal) {
  tensor_view left = dense(at(test::x_base), dtype::f16, {8, 64}), right = left;
  left.stride[0] = right.stride[0] = 128;
  right.data = at(test::x_base + 128);  // the right half of each 128-element row
  EXPECT_FALSE(look(softmax_of(left, right)).fixed.has(fact_in_place));
  right.data = at(test::x_base + 126);
  EXPECT_THAT(refusal(softmax_of(left, right)), HasSubstr("overlaps"));
}

TEST(inspect, an_output_that_overlaps_itself_is_refused) {
  tensor_view y = dense(at(test::y_base), dtype::f16, {8, 64});
  y.stride[0] = 0;
  EXPECT_THAT(refusal(softmax_of(dense(at(test::x_base), dtype::f16, {8, 64}), y)), HasSubstr("elements overlap"));
  y.stride[0] = 63;
  EXPECT_THAT(refusal(softmax_of(dense(at(test::x_base), dtype::f16, {8, 64}), y)), HasSubstr("elements overlap"));
}

TEST(inspect, bad_input_names_argument_found_and_allowed) {
  EXPECT_THAT(refusal(softmax_of({1, 1, 1, 1, 1, 1, 1, 1, 1})), HasSubstr("x: rank is 9, allowed is 1 to 8"));
  EXPECT_THAT(refusal(softmax_of({})), HasSubstr("rank is 0"));
  EXPECT_THAT(refusal(softmax_of({4}, dtype::i32)), HasSubstr("x: dtype is i32, allowed are f32, f16, bf16"));
  EXPECT_THAT(refusal(softmax_of({4}, static_cast<dtype>(77))), HasSubstr("dtype is unknown"));
  EXPECT_THAT(refusal(softmax_of({4}, dtype::f16, dtype::b8)), HasSubstr("y: dtype is b8"));
  EXPECT_THAT(refusal(softmax_of({4}, dtype::f16, dtype::f16, 0)), HasSubstr("x: data is null, but the view has 4"));
  EXPECT_THAT(refusal(softmax_of({4}, dtype::f32, dtype::f32, test::x_base + 2)), HasSubstr("multiple of the element"));
  const tensor_view x = dense(at(test::x_base), dtype::f16, {4, 8});
  EXPECT_THAT(refusal(softmax_of(x, dense(at(test::y_base), dtype::f16, {4, 9}))),
              HasSubstr("y: shape is 4x9, but x has shape 4x8"));
  EXPECT_THAT(refusal(softmax_of(x, dense(at(test::y_base), dtype::f16, {32}))), HasSubstr("y: rank is 1"));
  EXPECT_THAT(refusal(softmax_of(x, dense(at(test::y_base), dtype::f16, {4, 8}, {device_kind::cuda, 1}))),
              HasSubstr("y: device is cuda:1, but x is on host:0"));
  EXPECT_THAT(refusal(softmax_of({-1, 8})), HasSubstr("shape[0] is -1"));
  EXPECT_THAT(refusal(softmax_of({std::int64_t{1} << 40, std::int64_t{1} << 40})), HasSubstr("more than 2^63"));
  request axis = softmax_of({4, 8});
  axis.axis = 2;
  EXPECT_THAT(refusal(axis), HasSubstr("axis: is 2, allowed is -2 to 1"));
  request few;
  few.op = op_id::softmax;
  few.add(role::x, x);
  EXPECT_THAT(refusal(few), HasSubstr("1 operands given, it takes 2"));
}

using shapes = std::vector<std::vector<std::int64_t>>;

// Both ways of inspection, byte for byte: the table and the cache know one class whichever way a call came.
void expect_both_ways_agree(const request& r, bool dense) {
  facts shortly, at_length;
  ASSERT_TRUE(inspect(r, &shortly).ok());
  ASSERT_TRUE(inspect_in_general(r, &at_length).ok());
  const shape_class &a = shortly.fixed, &b = at_length.fixed;
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << to_string(a) << "\n" << to_string(b);
  EXPECT_EQ(a.has(fact_dense), dense) << to_string(a);
  ASSERT_EQ(a.outer_rank + a.inner_rank, 2);
  EXPECT_EQ(shortly.call.rows, at_length.call.rows);
  EXPECT_EQ(shortly.call.width, at_length.call.width);
  for (int axis = 0; axis < 2; ++axis) {
    EXPECT_EQ(shortly.call.extent[axis], at_length.call.extent[axis]);
    for (int k = 0; k < r.operand_count; ++k) {
      EXPECT_EQ(shortly.call.operands[k].stride[axis], at_length.call.operands[k].stride[axis]) << k << " " << axis;
      EXPECT_EQ(shortly.call.operands[k].data, at_length.call.operands[k].data);
    }
  }
}

TEST(inspect, dense_calls_have_the_facts_that_the_general_way_finds) {
  for (const auto& shape :
       shapes{{7}, {1}, {1, 1}, {5, 1}, {1, 9}, {4, 32, 512, 128}, {3, 1, 17}, {2, 65536}, {64, 65536}, {1, 20000}}) {
    const int rank = static_cast<int>(shape.size());
    for (const std::uintptr_t offset : {0, 2, 4, 8, 14}) {
      for (const dtype out : {dtype::f16, dtype::bf16}) {
        const auto view = [&](std::uintptr_t base, dtype d) { return dense(at(base), d, shape.data(), rank); };
        expect_both_ways_agree(softmax_of(view(x_base, dtype::f16), view(y_base + offset, out)), true);
        expect_both_ways_agree(softmax_of(view(x_base + offset, dtype::f16), view(x_base + offset, out)), true);
        expect_both_ways_agree(softmax_of(view(x_base + 4, dtype::f32), view(y_base + offset, out)), true);
        request add = softmax_of(view(x_base, dtype::f16), view(y_base + offset, out));
        add.op = op_id::elementwise;
        expect_both_ways_agree(add, true);
      }
    }
  }
}

TEST(inspect, dense_calls_with_a_row_or_an_element_a_row_have_the_general_ways_facts) {
  for (const auto& shape : shapes{{7}, {1}, {5, 1}, {1, 9}, {6, 4, 24}, {3, 1, 17}, {2, 20000}}) {
    const int rank = static_cast<int>(shape.size());
    for (int axes = 1; axes <= rank; ++axes) {
      const std::int64_t* row = shape.data() + rank - axes;
      request r;
      r.op = op_id::layer_norm;
      r.axis = axes;
      r.add(role::x, dense(at(x_base), dtype::bf16, shape.data(), rank));
      r.add(role::weight, dense(at(x_base + 0x100000000), dtype::bf16, row, axes));
      r.add(role::bias, dense(at(x_base + 0x200000004), dtype::f32, row, axes));
      r.add(role::y, dense(at(y_base + 2), dtype::bf16, shape.data(), rank));
      r.add(role::mean, dense(at(y_base + 0x100000000), dtype::f32, shape.data(), rank - axes));
      expect_both_ways_agree(r, true);
    }
  }
}

}  // namespace
}  // namespace rowsmith
