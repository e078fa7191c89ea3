// Forward norms: every form, width, dtype, layout. Names carry the ids of the collected cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/element.h"
#include "support/norm_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

using row = std::vector<float>;

constexpr norm_kind kinds[] = {norm_kind::layer, norm_kind::rms};

class norms : public on_device {
 protected:
  // Widths of every mechanism; the host has two.
  static std::vector<std::int64_t> some_widths() {
    if (under_test().on_host()) return {1, 7, 49, 512, 1001, 20000};
    return {1, 2, 8, 49, 64, 192, 512, 1001, 1024, 2048, 4096, 5120, 10001, 16384, 32768, 50257, 65536};
  }
  static norm_call one_row(std::int64_t width, dtype type = dtype::f32) {
    norm_call c;
    c.x = c.y = type;
    c.shape = {1, width};
    return c;
  }
  static row weights(std::int64_t width) { return normal(width, 1, 5); }
  static row biases(std::int64_t width) { return normal(width, 1, 6); }
};

TEST_F(norms, D10_D11_widths_with_and_without_weight_and_bias) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      for (const int with : {0, 1, 2, 3}) {
        norm_call c = one_row(width, width % 3 == 0 ? dtype::bf16 : width % 2 == 0 ? dtype::f16 : dtype::f32);
        c.kind = kind;
        c.shape[0] = 5;
        if ((with & 1) != 0) c.weight = weights(width);
        if ((with & 2) != 0) c.bias = biases(width);
        c.rstd = with != 0;
        c.mean = with != 0 && kind == norm_kind::layer;
        check_norm(c, normal(5 * width, 3));
      }
    }
  }
}

TEST_F(norms, I1_I2_F15_widths_near_powers_of_two_and_primes) {
  for (const std::int64_t width : {31, 32, 33, 63, 64, 65, 127, 129, 257, 997, 3584, 4099}) {
    norm_call c = one_row(width, dtype::bf16);
    c.shape[0] = 7;
    c.weights = dtype::bf16;
    c.weight = weights(width);
    c.bias = biases(width);
    check_norm(c, normal(7 * width, 2));
  }
}

TEST_F(norms, dtypes_of_their_own) {
  for (const auto& [x, y] : {std::pair{dtype::f16, dtype::f32}, {dtype::f32, dtype::bf16}, {dtype::bf16, dtype::f16}}) {
    for (const dtype w : {dtype::f32, dtype::f16, dtype::bf16}) {
      for (const std::int64_t width : {49, 512}) {
        norm_call c = one_row(width, x);
        c.y = y;
        c.weights = w;
        c.statistics = w;
        c.weight = weights(width);
        c.bias = biases(width);
        c.mean = c.rstd = true;
        c.shape[0] = 3;
        check_norm(c, normal(3 * width, 2));
      }
    }
  }
}

TEST_F(norms, D1_D4_D7_a_constant_row_gives_exactly_the_bias) {
  for (const std::int64_t width : some_widths()) {
    for (const float v : {1234.0f, 1e6f, 1000000.25f, 330000.1f, 1234567.0f, -3e38f, 0.1f}) {
      norm_call c = one_row(width);
      c.mean = c.rstd = true;
      for (const float y : check_norm(c, constant(width, v)).y) ASSERT_EQ(y, 0) << v << " x " << width;
      c.bias = biases(width);
      c.weight = weights(width);
      EXPECT_EQ(check_norm(c, constant(width, v)).y, c.bias) << v << " x " << width;
    }
  }
}

TEST_F(norms, D4_D5_a_small_spread_around_a_large_mean) {
  for (const std::int64_t width : some_widths()) {
    for (const float mean : {1e2f, 1e4f, 1e6f}) {
      row x = normal(3 * width, 0.25f);
      for (float& v : x) v += mean;
      norm_call c = one_row(width);
      c.shape[0] = 3;
      c.mean = c.rstd = true;
      check_norm(c, x);
    }
  }
  row x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 1e18f : -1e18f;
  for (const float y : check_norm(one_row(64), x).y) EXPECT_NEAR(std::fabs(y), 1, 1e-5);
}

TEST_F(norms, D6_a_variance_that_overflows_gives_the_bias) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      for (const float size : {1e30f, 3e38f}) {
        norm_call c = one_row(width);
        c.kind = kind;
        c.bias = biases(width);
        c.rstd = true;
        c.mean = kind == norm_kind::layer;
        row x = constant(width, size);
        for (std::size_t i = 1; i < x.size(); i += 2) x[i] = -size;
        check_norm(c, x);
      }
    }
  }
}

// The sum of squares overflows by the last of several finite terms: what was lost on the way must not make it NaN.
TEST_F(norms, D6_sums_of_finite_squares_that_overflow) {
  for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
    norm_call c;
    c.kind = kind;
    c.x = c.y = dtype::f32;
    c.shape = {1, 27};
    std::vector<float> x(27, 1.3e19f);
    for (std::size_t i = 0; i < x.size(); i += 2) x[i] = static_cast<float>(i) - 1.6e19f;
    c.bias = constant(27, 0.5f);
    const norm_outcome got = check_norm(c, x);
    if (HasFailure()) return;
    for (const float v : got.y) EXPECT_EQ(v, 0.5f);
  }
}

TEST_F(norms, D9_rows_of_zeros_give_the_bias) {
  for (const norm_kind kind : kinds) {
    norm_call c = one_row(320, dtype::f16);
    c.kind = kind;
    c.options.eps(1e-12f);
    c.bias = constant(320, 0.5f);
    for (const float y : check_norm(c, constant(320, 0)).y) EXPECT_EQ(y, 0.5f);
  }
}

TEST_F(norms, D12_D14_D15_D17_D18_f16_rows_whose_squares_do_not_fit_f16) {
  for (const norm_kind kind : kinds) {
    for (const float size : {300.0f, 512.0f, 7700.0f, 60000.0f}) {
      norm_call c = one_row(2048, dtype::f16);
      c.kind = kind;
      row x = constant(2048, size);
      for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -size;
      for (const float y : check_norm(c, x).y) EXPECT_EQ(std::fabs(y), 1);
      c.shape = {1, 512, 768};
      row n = normal(512 * 768, size / 8);
      check_norm(c, n);
    }
  }
}

TEST_F(norms, special_values_wherever_they_lie) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      row x = normal(16 * width);
      std::int64_t r = 1;
      for (const float odd : {not_a_number, infinity, -infinity}) {
        for (const std::int64_t at : {std::int64_t{0}, width / 2, width - 1}) {
          x[static_cast<std::size_t>(r++ * width + at)] = odd;
        }
      }
      norm_call c = one_row(width);
      c.kind = kind;
      c.shape[0] = 16;
      c.rstd = true;
      c.mean = kind == norm_kind::layer;
      check_norm(c, x);
    }
  }
}

TEST_F(norms, E1_the_residual_is_rounded_where_the_option_says_so) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      for (const residual_rounding how : {residual_rounding::storage, residual_rounding::fp32}) {
        for (const bool stored : {false, true}) {
          norm_call c = one_row(width, dtype::bf16);
          c.kind = kind;
          c.add = true;
          c.residual = width % 2 == 0 ? dtype::bf16 : dtype::f32;
          c.shape[0] = 4;
          c.options.round_residual(how);
          if (stored) c.sum = dtype::bf16;
          c.weight = weights(width);
          c.rstd = true;
          check_norm(c, normal(4 * width, 2), normal(4 * width, 3, 9));
        }
      }
    }
  }
}

TEST_F(norms, residual_plus_norm) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      norm_call c = one_row(width, dtype::f16);
      c.kind = kind;
      c.add = true;
      c.shape[0] = 4;
      c.options.residual(residual_order::last);
      c.bias = biases(width);
      check_norm(c, normal(4 * width, 2), normal(4 * width, 3, 9));
      c.place = in_place::y_is_residual;
      check_norm(c, normal(4 * width, 2), normal(4 * width, 3, 9));
    }
  }
}

// 72 additions, each stored: truncation instead of rounding to nearest even would drift.
TEST_F(norms, E2_rounding_to_nearest_even) {
  norm_call c = one_row(4096, dtype::bf16);
  c.add = true;
  c.residual = dtype::bf16;
  c.sum = dtype::bf16;
  row x = normal(4096);
  for (int i = 0; i < 72; ++i) x = check_norm(c, x, normal(4096, 1, static_cast<unsigned>(i))).sum;
}

TEST_F(norms, E3_E4_casts_and_one_plus_weight) {
  for (const norm_kind kind : kinds) {
    for (const dtype type : {dtype::bf16, dtype::f16}) {
      for (const bool one_plus : {false, true}) {
        for (const bool before : {false, true}) {
          for (const bool add : {false, true}) {
            norm_call c = one_row(300, type);
            c.kind = kind;
            c.add = add;
            c.residual = type;
            c.shape[0] = 4;
            c.weights = type;
            c.weight = weights(300);
            if (!before) c.bias = biases(300);
            if (one_plus) c.options.weight(weight_form::one_plus);
            if (before) c.options.cast(norm_cast::before_weight);
            check_norm(c, normal(1200, 2), normal(1200, 2, 3));
          }
        }
      }
    }
  }
}

TEST_F(norms, E5_a_signalling_nan_stays_a_nan) {
  row x = normal(64);
  x[3] = std::bit_cast<float>(0x7f800001u);
  for (const float y : check_norm(one_row(64), x).y) EXPECT_TRUE(std::isnan(y));
}

TEST_F(norms, in_place_of_x_and_of_the_residual) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      for (const dtype type : {dtype::f16, dtype::f32}) {
        norm_call c = one_row(width, type);
        c.kind = kind;
        c.shape[0] = 9;
        c.weight = weights(width);
        c.place = in_place::y_is_x;
        check_norm(c, normal(9 * width, 2));
        c.add = true;
        c.residual = type;
        for (const in_place p :
             {in_place::y_is_x, in_place::y_is_residual, in_place::sum_is_x, in_place::sum_is_residual}) {
          c.place = p;
          c.sum = type;
          check_norm(c, normal(9 * width, 2), normal(9 * width, 2, 4));
        }
      }
    }
  }
}

TEST_F(norms, F3_F5_strides_and_permuted_axes) {
  for (const std::int64_t width : {49, 257, 512}) {
    norm_call c = one_row(width);
    c.shape = {3, 4, width};
    c.x_stride = {width * 13, 1, 13};  // a permuted tensor: the reduced axis is not the fastest
    c.weight = weights(width);
    check_norm(c, normal(12 * width));
    c.x_stride = {5 * width, width, 1};
    c.y_stride = {-6 * width, width, 1};
    check_norm(c, normal(12 * width));
  }
}

TEST_F(norms, F8_B15_several_trailing_axes) {
  for (const norm_kind kind : kinds) {
    norm_call c;
    c.kind = kind;
    c.shape = {5, 8, 960};
    c.trailing = 2;
    c.weight = weights(8 * 960);
    c.bias = biases(8 * 960);
    c.rstd = true;
    check_norm(c, normal(count(c.shape)));
    c.x_stride = {8 * 1000, 1000, 1};  // axes that do not merge
    check_norm(c, normal(count(c.shape)));
    c.x_stride = {};
    c.shape = {6, 7};
    c.weight = weights(42);
    c.bias = biases(42);
    check_norm(c, normal(42));
  }
}

TEST_F(norms, F16_bases_at_any_element) {
  for (const std::int64_t width : some_widths()) {
    for (const int phase : {1, 3}) {
      norm_call c = one_row(width, dtype::f16);
      c.shape[0] = 5;
      c.weights = dtype::f16;
      c.weight = weights(width);
      c.weight_at.phase = 1;
      c.x_at.phase = c.y_at.phase = phase;
      check_norm(c, normal(5 * width));
      c.y_at.phase = 0;
      check_norm(c, normal(5 * width));
    }
  }
}

TEST_F(norms, J6_B12_rows_by_an_index) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      for (const dtype index : {dtype::i32, dtype::i64}) {
        norm_call c = one_row(width, dtype::f16);
        c.kind = kind;
        c.index = index;
        c.shape[0] = 7;
        c.table_rows = 5;
        c.rows = {4, -1, 0, 0, 5, 2, -7};
        c.bias = constant(width, 3);
        c.rstd = true;
        c.mean = kind == norm_kind::layer;
        const norm_outcome got = check_norm(c, normal(5 * width));
        for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
          ASSERT_EQ(got.y[static_cast<std::size_t>(width) + i], 0);
          ASSERT_FALSE(std::signbit(got.y[static_cast<std::size_t>(width) + i]));
        }
      }
    }
  }
}

TEST_F(norms, J1_J2_J6_norm_gather_by_its_name) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : {1, 33, 768}) {
      norm_call c = one_row(width, dtype::bf16);
      c.kind = kind;
      c.by_name = true;
      c.shape[0] = 9;
      c.table_rows = 4;
      c.rows = {3, -1, 0, 0, 4, 2, -7, std::int64_t{1} << 40, 1};
      c.weight = normal(width, 1, 2);
      c.bias = constant(width, 3);
      c.rstd = true;
      c.mean = kind == norm_kind::layer;
      const norm_outcome got = check_norm(c, normal(4 * width));
      ASSERT_EQ(got.y.size(), static_cast<std::size_t>(9 * width));
      for (const std::size_t row : {1, 4, 6, 7}) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
          ASSERT_EQ(got.y[row * static_cast<std::size_t>(width) + i], 0) << row;
          ASSERT_FALSE(std::signbit(got.y[row * static_cast<std::size_t>(width) + i]));
        }
      }
    }
  }
}

TEST_F(norms, J6_index_on_an_input_of_the_sum) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      for (const bool last : {false, true}) {
        norm_call c = one_row(width, dtype::f16);
        c.kind = kind;
        c.add = true;
        c.shape[0] = 7;
        c.table_rows = 5;
        c.bias = constant(width, 3);
        if (last) {
          c.options.residual(residual_order::last);
        } else {
          c.sum = dtype::f16;
        }
        c.rows = {4, -1, 0, 0, 5, 2, -7};
        check_norm(c, normal(5 * width), normal(7 * width, 1, 3));
        c.residual_rows = c.rows;
        c.rows.clear();
        check_norm(c, normal(7 * width), normal(5 * width, 1, 3));
        c.rows = {1, -1, 0, 9, 3, 2, 1};
        check_norm(c, normal(5 * width), normal(5 * width, 1, 3));
      }
    }
  }
}

TEST_F(norms, G1_nothing_to_norm) {
  norm_call c;
  c.shape = {0, 3, 64};
  check_norm(c, {});
  c.shape = {3, 0};
  c.mean = c.rstd = true;
  const norm_outcome got = check_norm(c, {});
  for (const float v : got.mean) EXPECT_TRUE(std::isnan(v));
  for (const float v : got.rstd) EXPECT_TRUE(std::isnan(v));
}

TEST_F(norms, C6_widths_that_templates_elsewhere_refused) {
  for (const std::int64_t width : {64, 128, 256, 16384}) {
    norm_call c = one_row(width, dtype::bf16);
    c.weight = weights(width);
    check_norm(c, normal(width));
  }
}

// Few elements a row, more rows than a 16-bit grid has; every row is checked.
TEST_F(norms, B10_B11_many_rows) {
  norm_call c = one_row(67, dtype::bf16);
  c.shape[0] = under_test().on_host() ? 70000 : 140000;
  c.weight = weights(67);
  check_norm(c, normal(67 * 997));
}

TEST_F(norms, what_is_refused) {
  row x = normal(8), y = x;
  const tensor_view in = dense(x.data(), dtype::f32, {2, 4}), out = dense(y.data(), dtype::f32, {2, 4});
  for (const float eps : {0.0f, -1e-5f, not_a_number, infinity}) {
    EXPECT_EQ(layer_norm(in, out, norm_options{}.eps(eps)).error(), code::invalid_argument) << eps;
  }
  EXPECT_EQ(layer_norm(in, out, norm_options{}.trailing(3)).error(), code::invalid_argument);
  EXPECT_EQ(layer_norm(in, out, norm_options{}.trailing(0)).error(), code::invalid_argument);
  EXPECT_EQ(layer_norm(in, out, norm_inputs{}.weight(in)).error(), code::invalid_argument);
  EXPECT_EQ(rms_norm(in, out, norm_inputs{}.mean(dense(y.data(), dtype::f32, {2}))).error(), code::invalid_argument);
  EXPECT_EQ(rms_norm(in, out, norm_inputs{}.sum(out)).error(), code::invalid_argument);
  EXPECT_EQ(layer_norm_backward(in, out, norm_gradients{}).error(), code::invalid_argument);
  norm_options old;
  old.struct_size = 8;
  EXPECT_EQ(layer_norm(in, out, old).error(), code::invalid_argument);
}

}  // namespace
}  // namespace rowsmith::test
