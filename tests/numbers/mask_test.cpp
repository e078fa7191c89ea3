// softmax and log_softmax of scaled, masked and biased logits, with causal limits and picked rows. Names carry the ids
// of the collected cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/softmax_family_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

using row = std::vector<float>;

// n draws of 0 and 1.
row coins(std::int64_t n, unsigned seed) {
  row bits = normal(n, 1, seed);
  for (float& v : bits) v = v > 0.3f ? 1.0f : 0.0f;
  return bits;
}

class masks : public on_device {
 protected:
  // Widths of every mechanism: staged, lanes, block, streamed.
  static std::vector<std::int64_t> some_widths() {
    if (under_test().on_host()) return {49, 512, 50257};
    return {1, 8, 49, 71, 64, 512, 777, 1001, 2048, 4096, 10001, 16384, 32768, 50257, 131072};
  }

  // Each kind of mask, bias and limit on [2, 3, 4, width].
  static std::vector<masked_call> some_calls(std::int64_t width) {
    std::vector<masked_call> all;
    const auto add = [&](auto change) {
      masked_call c;
      c.shape = {2, 3, 4, width};
      c.masked = true;
      change(c);
      all.push_back(std::move(c));
    };
    add([&](masked_call& c) {
      c.form = mask_form::keep;
      c.mask = {dtype::b8, {2, 1, 1, width}, coins(2 * width, 1)};
    });
    add([&](masked_call& c) {
      c.type = f32;
      c.form = mask_form::drop;
      c.mask = {dtype::b8, c.shape, coins(24 * width, 2)};
      c.scale = 0.125f;
      c.masked = false;
    });
    add([&](masked_call& c) {
      c.type = bf16;
      c.form = mask_form::additive;
      c.mask = {dtype::f32, {2, 1, 4, width}, normal(8 * width, 3, 3)};
      c.bias = {dtype::bf16, {width}, normal(width, 2, 4)};
    });
    add([&](masked_call& c) {
      c.form = mask_form::additive;
      c.mask = {dtype::f16, c.shape, normal(24 * width, 1, 5)};
      c.causal = width / 2;
      c.log = true;
    });
    add([&](masked_call& c) {
      c.causal = width - 4;
      c.bias = {dtype::f32, {3, 4, width}, normal(12 * width, 1, 6)};
      c.scale = 0.7f;
    });
    add([&](masked_call& c) {
      c.causal = 0;
      c.log = true;
      c.type = f32;
    });
    return all;
  }
};

TEST_F(masks, F8_F9_every_form_on_every_mechanism) {
  for (const std::int64_t width : some_widths()) {
    for (const masked_call& c : some_calls(width)) check_masked(c, normal(24 * width, 2));
  }
}

// Every way in which a mask can repeat; strides of 0, axes of 1, axes left out, and keys that are all alike.
TEST_F(masks, F9_a_mask_of_any_broadcast_shape_and_stride) {
  const std::int64_t w = under_test().on_host() ? 48 : 512;
  struct form {
    dims shape, stride;
  };
  for (const std::int64_t width : {w, std::int64_t{49}}) {
    for (const form& f : {form{{width}, {}},
                          {{1}, {}},
                          {{4, 1}, {}},
                          {{3, 1, width}, {}},
                          {{2, 3, 4, width}, {}},
                          {{2, 3, 4, 1}, {}},
                          {{2, 1, 4, width}, {4 * width + 3, 1, width, 1}},
                          {{4, width}, {0, 1}},
                          {{4, width}, {1, 4}},
                          {{2, 1, 1, 1}, {}}}) {
      masked_call c;
      c.shape = {2, 3, 4, width};
      c.masked = true;
      for (const auto& [form, type] : {std::pair{mask_form::keep, dtype::b8}, {mask_form::additive, dtype::f32}}) {
        c.form = form;
        c.mask = {type, f.shape, coins(count(f.shape), 3), f.stride};
        if (!f.stride.empty() && f.stride[0] == 0) c.mask.values = coins(width, 3);  // rows that are one row in memory
        check_masked(c, normal(24 * width));
      }
    }
  }
}

TEST_F(masks, F8_a_bias_repeats_over_leading_axes) {
  masked_call c;
  c.type = f32;
  c.shape = {5, 8, 960};
  c.bias = {dtype::f32, {8, 960}, normal(8 * 960, 2, 1)};
  check_masked(c, normal(5 * 8 * 960));
}

TEST_F(masks, A6_an_additive_mask_keeps_a_nan_and_a_bool_mask_does_not) {
  for (const std::int64_t width : {8, 49, 512}) {
    masked_call c;
    c.type = f32;
    c.shape = {2, width};
    c.masked = true;
    row x = normal(2 * width);
    x[3] = not_a_number;
    c.form = mask_form::additive;
    c.mask = {dtype::f32, {width}, constant(width, -infinity)};
    const masked_outcome added = check_masked(c, x);
    EXPECT_TRUE(std::isnan(added.y[0]));
    EXPECT_EQ(added.y[static_cast<std::size_t>(width)], 0);
    c.form = mask_form::keep;
    c.mask = {dtype::b8, {width}, constant(width, 0)};
    for (const float v : check_masked(c, x).y) EXPECT_EQ(v, 0);
  }
}

TEST_F(masks, A10_a_scale_is_a_product_of_its_own) {
  for (const float scale : {1e14f, -1.7e14f, 3e38f}) {
    masked_call c;
    c.type = f32;
    c.shape = {4, 10};
    c.scale = scale;
    check_masked(c, normal(40, 1e13f));
    check_masked(c, normal(40));
  }
}

TEST_F(masks, A11_a_scale_that_leaves_the_exponent_no_bits) {
  masked_call c;
  c.type = f32;
  c.shape = {2};
  c.scale = 1 / 0.7f;
  const row y = check_masked(c, {3e9f, -3e9f}).y;
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 0);
}

TEST_F(masks, A18_minus_infinity_in_an_additive_mask_removes) {
  masked_call c;
  c.shape = {1, 64};
  c.form = mask_form::additive;
  row mask = constant(64, 0);
  mask[5] = mask[63] = -infinity;
  for (const dtype type : {dtype::f32, dtype::f16, dtype::bf16}) {
    c.mask = {type, {64}, mask};
    const row y = check_masked(c, normal(64)).y;
    EXPECT_EQ(y[5], 0);
    EXPECT_EQ(y[63], 0);
  }
  c.scale = 0;  // 0 · x is 0, and the mask stays what it is
  EXPECT_EQ(check_masked(c, normal(64)).y[5], 0);
}

TEST_F(masks, A19_A20_A23_nothing_survives) {
  for (const std::int64_t width : some_widths()) {
    for (const bool log : {false, true}) {
      masked_call c;
      c.shape = {1, 1, 4, width};
      c.form = mask_form::drop;
      c.mask = {dtype::b8, {1}, {1}};
      c.log = log;
      c.masked = true;
      for (const float v : check_masked(c, normal(4 * width)).y) ASSERT_EQ(v, 0);
      c.masked = false;
      for (const float v : check_masked(c, normal(4 * width)).y) ASSERT_TRUE(std::isnan(v));
    }
  }
  masked_call c;  // rows of a bias that are all -inf, beside others
  c.type = bf16;
  c.shape = {2, 64, 12};
  c.masked = true;
  row bias = normal(64 * 12);
  std::fill_n(bias.begin() + 7 * 12, 12, -infinity);
  c.bias = {dtype::bf16, {64, 12}, bias};
  check_masked(c, normal(2 * 64 * 12));
}

TEST_F(masks, A22_J8_J9_causal_limits) {
  for (const std::int64_t keys : {17, 71, 128}) {
    for (const std::int64_t queries : {std::int64_t{71}, keys}) {
      if (under_test().on_host() && keys == 17 && queries == keys) continue;
      masked_call c;
      c.shape = {2, 3, queries, keys};
      for (const bool masked : {true, false}) {
        for (const std::int64_t offset :
             {std::int64_t{0}, keys - queries, std::int64_t{-5}, std::int64_t{1000}, INT64_MIN, INT64_MAX}) {
          c.masked = masked;
          c.causal = offset;
          row x = normal(6 * queries * keys);
          const masked_outcome got = check_masked(c, x);
          if (offset == 0) {
            for (const float v : got.y) ASSERT_TRUE(std::isfinite(v));
          }
        }
      }
    }
  }
}

// What lies behind the limit may be anything.
TEST_F(masks, J8_a_causal_limit_hides_whatever_is_behind) {
  for (const std::int64_t width : some_widths()) {
    masked_call c;
    c.shape = {8, width};
    c.causal = width - 7;
    c.masked = true;
    row x = normal(8 * width);
    for (std::int64_t r = 0; r < 8; ++r) {
      for (std::int64_t i = std::max<std::int64_t>(r + width - 6, 0); i < width; ++i) {
        x[static_cast<std::size_t>(r * width + i)] = i % 2 == 0 ? not_a_number : infinity;
      }
    }
    check_masked(c, x);
  }
}

// Queries along the axis before the softmax's, wherever that is.
TEST_F(masks, J9_causal_along_another_axis) {
  masked_call c;
  c.shape = {3, 20, 30, 5};
  c.axis = 2;
  c.causal = 10;
  c.masked = true;
  check_masked(c, normal(count(c.shape)));
  c.axis = 1;
  c.causal = 2;
  check_masked(c, normal(count(c.shape)));
  c.axis = 0;  // nothing before it: one query
  c.causal = 1;
  check_masked(c, normal(count(c.shape)));
}

TEST_F(masks, A25_results_below_the_least_normal_number_under_a_scale) {
  masked_call c;
  c.type = f32;
  c.shape = {3};
  c.scale = 2;
  const row y = check_masked(c, {45, 1, -1}).y;
  EXPECT_EQ(y[0], 1);
  EXPECT_LE(y[1], 6.06e-39f);
}

TEST_F(masks, A27_E10_E11_wide_results_of_narrow_inputs_are_rounded_once) {
  masked_call c;
  c.type = f16_to_f32;
  c.shape = {3, 1238};
  c.scale = 0.3f;
  check_masked(c, normal(3 * 1238, 4));
  c.type = bf16;
  check_masked(c, normal(3 * 1238, 4));
}

TEST_F(masks, G6_a_row_of_one) {
  for (const bool log : {false, true}) {
    masked_call c;
    c.shape = {5, 1};
    c.log = log;
    c.masked = true;
    c.scale = 3;
    c.form = mask_form::keep;
    c.mask = {dtype::b8, {5, 1}, {1, 1, 0, 1, 1}};
    check_masked(c, {1, -65504, 4, not_a_number, infinity});
  }
}

TEST_F(masks, picked_rows_and_rows_that_are_not_there) {
  for (const std::int64_t width : some_widths()) {
    for (const bool log : {false, true}) {
      masked_call c;
      c.shape = {7, width};
      c.table_rows = 4;
      c.rows = {3, -1, 0, 0, 4, 2, -9000000000};
      c.log = log;
      check_masked(c, normal(4 * width));
      c.rows = {3, -1, 0, 0, 4, 2, 1};
      c.index_type = dtype::i32;
      c.bias = {dtype::f32, {width}, normal(width)};
      c.masked = true;
      check_masked(c, normal(4 * width));
    }
  }
}

TEST_F(masks, in_place_and_along_other_axes) {
  for (const std::int64_t width : some_widths()) {
    masked_call c;
    c.shape = {3, 5, width};
    c.in_place = true;
    c.masked = true;
    c.scale = 0.5f;
    c.causal = width / 3;
    c.form = mask_form::keep;
    c.mask = {dtype::b8, {5, width}, coins(5 * width, 8)};
    check_masked(c, normal(15 * width));
  }
  masked_call c;
  c.shape = {3, 40, 5};
  c.axis = 1;
  c.form = mask_form::additive;
  c.mask = {dtype::f16, {40, 1}, normal(40)};
  check_masked(c, normal(600));
  c.axis = 0;
  check_masked(c, normal(600));
}

// The same bits at every call.
TEST_F(masks, H1_H2_H3_the_same_bits_again) {
  for (const std::int64_t width : some_widths()) {
    for (const masked_call& c : {some_calls(width)[2], some_calls(width)[4]}) {
      const auto first = check_masked(c, normal(24 * width, 2)).bits;
      for (int again = 0; again < 3; ++again) ASSERT_EQ(check_masked(c, normal(24 * width, 2)).bits, first);
    }
  }
}

TEST_F(masks, typed_errors) {
  const device where = under_test().where;
  tensor x(where, dtype::f32, {4, 8}), y(where, dtype::f32, {4, 8}), flags(where, dtype::b8, {8}),
      line(where, dtype::f32, {8}), wide(where, dtype::f32, {9}), lse(where, dtype::f16, {4});
  const auto call = [&](const softmax_inputs& i, int axis = -1) {
    return softmax(x.view(), i, y.view(), softmax_options().axis(axis)).error();
  };
  EXPECT_EQ(call(softmax_inputs().additive(flags.view())), code::invalid_argument);
  EXPECT_EQ(call(softmax_inputs().keep(wide.view())), code::invalid_argument);
  EXPECT_EQ(call(softmax_inputs().bias(wide.view())), code::invalid_argument);
  EXPECT_EQ(call(softmax_inputs().bias(flags.view())), code::invalid_argument);
  EXPECT_EQ(call(softmax_inputs().lse(lse.view())), code::invalid_argument);
  EXPECT_EQ(call(softmax_inputs().lse(line.view())), code::invalid_argument);
  EXPECT_EQ(call(softmax_inputs().rows(line.view())), code::invalid_argument);
  EXPECT_EQ(call(softmax_inputs().causal(), 7), code::invalid_argument);
  softmax_inputs odd;
  odd.struct_size = 3;
  EXPECT_EQ(call(odd), code::invalid_argument);
  odd = {};
  odd.form = static_cast<mask_form>(9);
  EXPECT_EQ(call(odd), code::invalid_argument);
  EXPECT_EQ(softmax(x.view(), softmax_inputs().bias(y.view()), y.view()).error(), code::invalid_argument);
  y.fetch();
  EXPECT_TRUE(y.unchanged());
}

}  // namespace
}  // namespace rowsmith::test
