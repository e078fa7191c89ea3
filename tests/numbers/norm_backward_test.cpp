// Gradients of the norms. Names carry the ids of the collected cases.
#include <gtest/gtest.h>

#include "support/norm_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr norm_kind kinds[] = {norm_kind::layer, norm_kind::rms};

class norm_gradients_of : public on_device {
 protected:
  static std::vector<std::int64_t> some_widths() {
    if (under_test().on_host()) return {1, 7, 49, 512, 1001, 20000};
    return {1, 8, 49, 64, 192, 512, 1001, 1024, 2048, 4096, 10001, 16384, 32768, 50257, 65536};
  }
};

TEST_F(norm_gradients_of, every_width_and_every_part) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      for (const int part : {0, 1, 2, 3, 4}) {
        norm_backward_call c;
        c.kind = kind;
        c.x = c.dy = c.dx = width % 2 == 0 ? dtype::bf16 : dtype::f32;
        c.shape = {13, width};
        if (part != 1) c.weight = normal(width, 1, 5);
        c.wants_dx = part != 2;
        c.wants_dweight = part != 3 && part != 1;
        c.wants_dbias = part < 3;
        c.dsum = part == 4 || part == 0;
        check_norm_backward(c, normal(13 * width, 2), normal(13 * width, 1, 4));
      }
    }
  }
}

TEST_F(norm_gradients_of, H5_many_rows_give_the_same_bits_every_run) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : {24, 49, 512, 4096}) {
      norm_backward_call c;
      c.kind = kind;
      c.x = c.dy = c.dx = dtype::f16;
      c.shape = {3001, width};
      c.weight = normal(width, 1, 5);
      const auto x = normal(3001 * width, 2), dy = normal(3001 * width, 1, 4);
      const auto first = check_norm_backward(c, x, dy).bits;
      EXPECT_EQ(check_norm_backward(c, x, dy).bits, first);
    }
  }
}

TEST_F(norm_gradients_of, equal_terms_over_many_rows) {
  norm_backward_call c;
  c.x = c.dy = c.dx = dtype::f32;
  c.shape = {40000, 8};
  check_norm_backward(c, normal(40000 * 8), constant(8, 0.1f));
}

TEST_F(norm_gradients_of, B15_F2_several_axes_before_and_behind) {
  norm_backward_call c;
  c.shape = {10000, 8, 16};
  c.trailing = 2;
  c.weight = normal(128);
  check_norm_backward(c, normal(128 * 997), normal(128 * 991, 1, 3));
  c.shape = {52, 7, 64};
  c.trailing = 1;
  c.weight = normal(64);
  check_norm_backward(c, normal(count(c.shape)), normal(count(c.shape), 1, 3));
}

TEST_F(norm_gradients_of, F1_gradients_with_strides_of_their_own) {
  norm_backward_call c;
  c.x = c.dy = c.dx = dtype::f32;
  c.shape = {33, 64};
  c.weight = normal(64);
  c.dy_stride = {0, 0};  // of a sum
  check_norm_backward(c, normal(33 * 64), {1});
  c.dy_stride = {128, 2};  // every second element
  check_norm_backward(c, normal(33 * 64), normal(33 * 64, 1, 3));
}

// Rows that are neighbours in memory, or repeat: weight gradients are sums over them all the same.
TEST_F(norm_gradients_of, F1_weight_gradients_of_rows_side_by_side) {
  for (const norm_kind kind : kinds) {
    for (const bool dx : {false, true}) {
      norm_backward_call c;
      c.kind = kind;
      c.x = c.dy = c.dx = dtype::f32;
      c.shape = {33, 24};
      c.weight = normal(24);
      c.wants_dx = dx;
      c.x_stride = c.dy_stride = {1, 33};
      check_norm_backward(c, normal(33 * 24), normal(33 * 24, 1, 3));
      c.x_stride = {0, 1}, c.dy_stride = {0, 0};
      check_norm_backward(c, normal(24), {1});
    }
  }
}

TEST_F(norm_gradients_of, F11_in_place) {
  norm_backward_call c;
  c.kind = norm_kind::rms;
  c.x = c.dy = c.dx = dtype::f32;
  c.shape = {1, 4};
  c.wants_dweight = c.wants_dbias = false;
  c.options.eps(1e-4f);
  for (const bool of_x : {false, true}) {
    c.dx_is_x = of_x, c.dx_is_dy = !of_x;
    const auto dx = check_norm_backward(c, {1, 0, 0, 0}, {1, 0, 0, 0}).dx;
    EXPECT_NEAR(dx.at(0), 0.00079952, 2e-6);  // 1 - 0.9996: what is left of the terms
    EXPECT_EQ(dx.at(1), 0);
  }
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : some_widths()) {
      norm_backward_call n;
      n.kind = kind;
      n.x = n.dy = n.dx = width % 2 == 0 ? dtype::f16 : dtype::f32;
      n.shape = {6, width};
      n.dx_is_x = true;
      check_norm_backward(n, normal(6 * width), normal(6 * width, 1, 3));
      n.dx_is_x = false, n.dx_is_dy = true;
      check_norm_backward(n, normal(6 * width), normal(6 * width, 1, 3));
    }
  }
}

TEST_F(norm_gradients_of, G1_no_rows_give_zeros) {
  norm_backward_call c;
  c.shape = {0, 64};
  const auto got = check_norm_backward(c, {}, {});
  EXPECT_EQ(got.dweight, std::vector<float>(64, 0));
  EXPECT_EQ(got.dbias, std::vector<float>(64, 0));
  c.shape = {1, 0};
  check_norm_backward(c, {}, {});
}

TEST_F(norm_gradients_of, D5_D6_large_means_and_overflowing_variances) {
  for (const norm_kind kind : kinds) {
    for (const std::int64_t width : {49, 512}) {
      norm_backward_call c;
      c.kind = kind;
      c.x = c.dy = c.dx = dtype::f32;
      c.shape = {9, width};
      c.dsum = true;
      auto x = normal(9 * width, 0.25f);
      for (float& v : x) v += 1e5f;
      check_norm_backward(c, x, normal(9 * width, 1, 3));
      for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) x[i] = i % 2 == 0 ? 3e38f : -3e38f;
      check_norm_backward(c, x, normal(9 * width, 1, 3));
    }
  }
}

TEST_F(norm_gradients_of, a_workspace_of_the_callers) {
  if (!under_test().on_host()) GTEST_SKIP() << "memory of the host";
  std::vector<float> memory(1 << 16);
  norm_backward_call c;
  c.shape = {40, 64};
  c.options.workspace(reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) / 16 * 16),
                      (memory.size() - 4) * sizeof(float));
  check_norm_backward(c, normal(40 * 64), normal(40 * 64, 1, 3));
  std::vector<float> x = normal(64), dy = x, dw(64);
  const status little = layer_norm_backward(dense(x.data(), dtype::f32, {1, 64}), dense(dy.data(), dtype::f32, {1, 64}),
                                            norm_gradients{}.dweight(dense(dw.data(), dtype::f32, {64})),
                                            norm_options{}.workspace(memory.data(), 16));
  EXPECT_EQ(little.error(), code::invalid_argument);
}

}  // namespace
}  // namespace rowsmith::test
