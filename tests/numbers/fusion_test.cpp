// Expressions before and behind a row op, in the same kernel, against float64. Named by no case: what is new here is
// what stands around the op.
#include <gtest/gtest.h>

#include "reference/expression.h"
#include "rowsmith/call.h"
#include "support/reference.h"
#include "support/softmax_check.h"
#include "support/tensor.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class fusion_numbers : public on_device {};

struct fused_case {
  dtype in, out;
  std::int64_t rows, width;
};

// pre: two operations, each rounded once, so that a float computes it exactly.
float before(float x, float p, float b) {
  const float scaled = x * p;
  return scaled + b;
}

void check(const fused_case& c, bool with_pre, bool with_post) {
  SCOPED_TRACE(testing::Message() << c.rows << "x" << c.width << (with_pre ? " pre" : "")
                                  << (with_post ? " post" : ""));
  const device where = under_test().where;
  const float p = 0.75f;
  tensor x(where, c.in, {c.rows, c.width}), more(where, dtype::f32, {c.width});
  tensor y(where, c.out, {c.rows, c.width}, {}, {}, output_poison);
  x.write(normal(c.rows * c.width, 2));
  more.write(normal(c.width, 1, 3));
  const auto pre = expression::make(arg(0) * param(0) + arg(1));
  const auto post = expression::make(silu(arg(0)) + arg(1) * param(1));
  ASSERT_TRUE(pre.ok() && post.ok());
  fusion f;
  if (with_pre) f.pre(*pre);
  if (with_post) f.post(*post);
  f.with(more.view()).param(0, p).param(1, 0.5f);
  op_call call("softmax");
  call.operand("x", const_tensor_view(x.view())).operand("y", y.view()).fuse(f);
  const status called = call.run();
  ASSERT_TRUE(synchronize(where, {}).ok());
  if (!called.ok() && under_test().scalar) {
    EXPECT_EQ(called.error(), code::unsupported) << called.to_string();
    GTEST_SKIP() << "the scalar fallback interprets no expressions of row ops yet: " << called.to_string();
  }
  ASSERT_TRUE(called.ok()) << called.to_string() << called.detail();
  for (tensor* t : {&x, &more, &y}) t->fetch();
  EXPECT_TRUE(x.unchanged());
  EXPECT_TRUE(more.unchanged());
  EXPECT_TRUE(y.only_elements_changed());

  const std::vector<float> input = x.written(), argument = more.written(), got = y.read();
  const auto e =
      c.out == dtype::f32 ? rowsmith::reference::exponential::accurate : rowsmith::reference::exponential::fast;
  const double params[] = {p, 0.5, 0, 0};
  for (std::int64_t row = 0; row < c.rows; ++row) {
    rowsmith::reference::reals logits;
    for (std::int64_t i = 0; i < c.width; ++i) {
      const float v = input[row * c.width + i];
      logits.push_back(with_pre ? before(v, p, argument[i]) : v);
    }
    rowsmith::reference::expected want = rowsmith::reference::softmax(logits, e).y;
    for (std::int64_t i = 0; with_post && i < c.width; ++i) {
      const rowsmith::reference::bounded args[] = {want[i], {argument[i]}};
      want[i] = rowsmith::reference::evaluate(*post, args, params)[0];
    }
    const std::span<const float> stored(got.data() + row * c.width, c.width);
    ASSERT_TRUE(rowsmith::reference::within(want, c.out, stored)) << "row " << row;
  }
}

constexpr fused_case k_cases[] = {{dtype::f32, dtype::f32, 9, 65},
                                  {dtype::f16, dtype::f16, 33, 512},
                                  {dtype::bf16, dtype::f32, 5, 1000},
                                  {dtype::f16, dtype::bf16, 3, 40000},
                                  {dtype::f32, dtype::f32, 17, 1}};

TEST_F(fusion_numbers, before_a_softmax) {
  for (const fused_case& c : k_cases)
    if (!IsSkipped()) check(c, true, false);
}

TEST_F(fusion_numbers, behind_a_softmax) {
  for (const fused_case& c : k_cases)
    if (!IsSkipped()) check(c, false, true);
}

TEST_F(fusion_numbers, before_and_behind_a_softmax) {
  for (const fused_case& c : k_cases)
    if (!IsSkipped()) check(c, true, true);
}

// norm(x + r) of which no sum is stored, alone and with one: the result goes through the expression either way.
TEST_F(fusion_numbers, behind_the_norm_of_a_sum) {
  if (under_test().scalar) GTEST_SKIP() << "the scalar fallback interprets no expressions of row ops yet";
  const device where = under_test().where;
  const auto post = expression::make(arg(0) * param(0));
  ASSERT_TRUE(post.ok());
  for (const std::int64_t width : {7, 100, 4096, 40000}) {
    for (const bool stores : {false, true}) {
      SCOPED_TRACE(testing::Message() << width << (stores ? " with a sum" : ""));
      const dims shape = {3, width};
      tensor x(where, dtype::f16, shape), residual(where, dtype::f16, shape);
      tensor y(where, dtype::f32, shape, {}, {}, output_poison), sum(where, dtype::f16, shape, {}, {}, output_poison);
      x.write(normal(3 * width)), residual.write(normal(3 * width, 1, 5));
      op_call call("add_rms_norm");
      call.operand("x", x.view()).operand("residual", residual.view()).operand("y", y.view());
      if (stores) call.operand("sum", sum.view());
      const status called = call.fuse(fusion{}.post(*post).param(0, -2.0f)).run();
      ASSERT_TRUE(called.ok()) << called.to_string() << called.detail();
      ASSERT_TRUE(synchronize(where, {}).ok());
      y.fetch();
      EXPECT_TRUE(y.only_elements_changed());
      const std::vector<float> a = x.written(), b = residual.written(), got = y.read();
      for (std::size_t row = 0; row < 3; ++row) {
        const auto part = [&](const std::vector<float>& all) {
          const auto first = all.begin() + static_cast<std::ptrdiff_t>(row) * width;
          return rowsmith::reference::reals(first, first + width);
        };
        const auto added = rowsmith::reference::add_residual(part(a), part(b), dtype::f16,
                                                             rowsmith::reference::round_residual::storage);
        rowsmith::reference::expected want = rowsmith::reference::rms_norm(added.read, 1e-5f).y;
        const double params[] = {-2, 0, 0, 0};
        for (auto& v : want) v = rowsmith::reference::evaluate(*post, {&v, 1}, params)[0];
        const std::span<const float> stored(got.data() + row * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
        ASSERT_TRUE(rowsmith::reference::within(want, dtype::f32, stored)) << "row " << row;
      }
    }
  }
}

// Moments have no output that an expression could be about: it is not taken in silence.
TEST_F(fusion_numbers, nothing_stands_behind_moments) {
  const device where = under_test().where;
  tensor x(where, dtype::f32, {4, 8}), mean(where, dtype::f32, {4}, {}, {}, output_poison);
  x.write(normal(32));
  const auto post = expression::make(arg(0) * 2);
  ASSERT_TRUE(post.ok());
  op_call call("moments");
  call.operand("x", x.view()).operand("mean", mean.view()).axis(2).fuse(fusion{}.post(*post));
  const status called = call.run();
  EXPECT_EQ(called.error(), code::invalid_argument) << called.to_string();
  mean.fetch();
  EXPECT_TRUE(mean.unchanged());
}

// Another parameter is no other kernel.
TEST_F(fusion_numbers, parameters_compile_nothing_anew) {
  if (under_test().scalar) GTEST_SKIP() << "the scalar fallback interprets no expressions of row ops yet";
  const device where = under_test().where;
  tensor x(where, dtype::f32, {4, 100}), y(where, dtype::f32, {4, 100}, {}, {}, output_poison);
  x.write(normal(400));
  const auto pre = expression::make(arg(0) * param(0));
  ASSERT_TRUE(pre.ok());
  std::vector<float> results[2];
  std::uint64_t misses[2] = {};
  for (int i = 0; i < 2; ++i) {
    fusion f;
    f.pre(*pre).param(0, i == 0 ? 1.0f : 0.0f);
    op_call call("softmax");
    call.operand("x", const_tensor_view(x.view())).operand("y", y.view()).fuse(f);
    ASSERT_TRUE(call.run().ok());
    ASSERT_TRUE(synchronize(where, {}).ok());
    y.fetch();
    results[i] = y.read();
    misses[i] = counters().calls_missed;
  }
  EXPECT_EQ(misses[0], misses[1]);
  EXPECT_NE(results[0], results[1]);
  for (const float v : results[1]) EXPECT_NEAR(v, 0.01f, 1e-6f);
}

}  // namespace
}  // namespace rowsmith::test
