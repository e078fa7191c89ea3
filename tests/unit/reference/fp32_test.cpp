// Plain fp32 formulas, as a kernel computes them, stay within the bounds: a bound that is too narrow shows here, before
// a kernel is blamed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/element.h"
#include "support/reference.h"
#include "support/values.h"

namespace rowsmith::test::reference {
namespace {

using floats = std::vector<float>;

// By halves, as lanes do.
float sum(std::span<const float> v) {
  if (v.size() < 8) {
    float s = 0;
    for (const float e : v) s += e;
    return s;
  }
  return sum(v.first(v.size() / 2)) + sum(v.subspan(v.size() / 2));
}

floats each(const floats& x, const std::function<float(float)>& f) {
  floats y(x);
  for (float& v : y) v = f(v);
  return y;
}

floats times(const floats& a, const floats& b) {
  floats y(a);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] *= b[i];
  return y;
}

struct normalized {
  floats value;
  float mean, rstd;
};

normalized layer(const floats& x, float epsilon) {
  const float n = static_cast<float>(x.size()), first = x[0];
  floats d = each(x, [&](float v) { return v - first; });
  const float mean = sum(d) / n;
  d = each(d, [&](float v) { return v - mean; });
  const float rstd = 1 / std::sqrt(sum(times(d, d)) / n + epsilon);
  return {each(d, [&](float v) { return v * rstd; }), first + mean, rstd};
}

normalized rms(const floats& x, float epsilon) {
  const float rstd = 1 / std::sqrt(sum(times(x, x)) / static_cast<float>(x.size()) + epsilon);
  return {each(x, [&](float v) { return v * rstd; }), 0, rstd};
}

// Rows of every kind: plain, far from 0, with an odd element in front or behind, tiny, of widely spread sizes.
std::vector<floats> rows(std::size_t width) {
  std::vector<floats> all;
  const auto add = [&](const std::function<float(float, std::size_t)>& f) {
    floats x = normal(static_cast<std::int64_t>(width), 1, static_cast<unsigned>(all.size() + width));
    for (std::size_t i = 0; i < width; ++i) x[i] = f(x[i], i);
    all.push_back(x);
  };
  add([](float v, std::size_t) { return v; });
  add([](float v, std::size_t) { return v * 30; });
  add([](float v, std::size_t) { return 1e6f + v; });
  add([](float v, std::size_t i) { return i == 0 ? 1000 : v; });
  add([&](float v, std::size_t i) { return i + 1 == width ? -1000 : v; });
  add([](float v, std::size_t) { return 1e-3f * v; });
  add([](float v, std::size_t) { return std::exp(5 * v); });
  return all;
}

constexpr std::size_t widths[] = {1, 2, 3, 49, 128, 1000, 5000};

template <class F>
void over_rows(F f) {
  for (const std::size_t width : widths) {
    for (const floats& x : rows(width)) {
      SCOPED_TRACE(testing::Message() << "width " << width << ", row of " << x[0] << " ...");
      f(x, normal(static_cast<std::int64_t>(width), 1, 17));
    }
  }
}

TEST(fp32_formulas, softmax) {
  over_rows([](const floats& x, const floats&) {
    const float top = *std::max_element(x.begin(), x.end());
    const floats fast_e = each(x, [&](float v) { return std::exp2((v - top) * 0x1.715476p+0f); });
    const floats e = each(x, [&](float v) { return static_cast<float>(std::exp(double{v} - top)); });
    const reals z = widened(x);
    for (const bool is_fast : {true, false}) {
      const floats& terms = is_fast ? fast_e : e;
      const float scale = 1 / sum(terms);
      const softmax_row want = softmax(z, is_fast ? exponential::fast : exponential::accurate);
      const floats got = each(terms, [&](float v) { return v * scale; });
      EXPECT_TRUE(within(want.y, dtype::f32, got));
      EXPECT_TRUE(sums_up(want, dtype::f32, got));
      const float log_sum = std::log(sum(terms));
      EXPECT_TRUE(within(want.lse, dtype::f32, top + log_sum));
      EXPECT_TRUE(within(log_softmax(z).y, dtype::f32, each(x, [&](float v) { return v - top - log_sum; })));
    }
  });
}

TEST(fp32_formulas, softmax_gradients) {
  over_rows([](const floats& x, const floats& dy) {
    floats y, log_y;
    for (const bounded& b : softmax(widened(x), exponential::accurate).y) y.push_back(static_cast<float>(b.value));
    for (const bounded& b : log_softmax(widened(x)).y) log_y.push_back(static_cast<float>(b.value));
    const float dot = sum(times(y, dy)), total = sum(dy);
    floats dx(y), log_dx(y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      dx[i] = y[i] * (dy[i] - dot) * 0.3f;
      log_dx[i] = (dy[i] - std::exp2(log_y[i] * 0x1.715476p+0f) * total) * 0.3f;
    }
    gradient_terms t;
    t.scale = 0.3f;
    t.exp = exponential::fast;
    EXPECT_TRUE(within(softmax_backward(widened(y), widened(dy), t), dtype::f32, dx));
    EXPECT_TRUE(within(log_softmax_backward(widened(log_y), widened(dy), t), dtype::f32, log_dx));
  });
}

TEST(fp32_formulas, norms) {
  over_rows([](const floats& x, const floats& w) {
    affine a;
    a.weight = widened(w);
    a.bias = widened(x);
    for (const bool is_layer : {true, false}) {
      const normalized n = is_layer ? layer(x, 1e-5f) : rms(x, 1e-5f);
      floats y = times(n.value, w);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
      const norm_row want = is_layer ? layer_norm(widened(x), 1e-5f, a) : rms_norm(widened(x), 1e-5f, a);
      EXPECT_TRUE(within(want.y, dtype::f32, y));
      EXPECT_TRUE(within(want.rstd, dtype::f32, n.rstd));
      if (is_layer) {
        EXPECT_TRUE(within(want.mean, dtype::f32, n.mean));
      }
      a.cast = dtype::bf16;
      y = times(each(n.value, [](float v) { return bfloat_to_float(float_to_bfloat(v)); }), w);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
      const norm_row cast = is_layer ? layer_norm(widened(x), 1e-5f, a) : rms_norm(widened(x), 1e-5f, a);
      EXPECT_TRUE(within(cast.y, dtype::f32, y));
      a.cast.reset();
    }
  });
}

TEST(fp32_formulas, norm_gradients) {
  over_rows([](const floats& x, const floats& dy) {
    norm_backward_terms t;
    t.epsilon = 1e-5f;
    const float count = static_cast<float>(x.size());
    for (const bool is_layer : {true, false}) {
      const normalized n = is_layer ? layer(x, 1e-5f) : rms(x, 1e-5f);
      const float mean = is_layer ? sum(dy) / count : 0, dot = sum(times(dy, n.value)) / count;
      floats dx(dy);
      for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = n.rstd * (dy[i] - mean - n.value[i] * dot);
      const norm_gradients want = is_layer ? layer_norm_backward(widened(x), widened(dy), x.size(), t)
                                           : rms_norm_backward(widened(x), widened(dy), x.size(), t);
      EXPECT_TRUE(within(want.dx, dtype::f32, dx));
      EXPECT_TRUE(within(want.dweight, dtype::f32, times(dy, n.value)));
    }
  });
}

}  // namespace
}  // namespace rowsmith::test::reference
