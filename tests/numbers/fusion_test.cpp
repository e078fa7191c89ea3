// Expressions before and behind a row op, in the same kernel or around the fallback, against float64. Named by no case:
// what is new here is what stands around the op.
#include <gtest/gtest.h>

#include <string>

#include "reference/logits.h"
#include "reference/moments.h"
#include "reference/norm.h"
#include "reference/norm_backward.h"
#include "support/fusion_check.h"
#include "support/index_tensor.h"
#include "support/reference.h"

namespace rowsmith::test {
namespace {

class fusion_numbers : public on_device {};

constexpr fused_case k_cases[] = {{dtype::f32, dtype::f32, 9, 65},
                                  {dtype::f16, dtype::f16, 33, 512},
                                  {dtype::bf16, dtype::f32, 5, 1000},
                                  {dtype::f16, dtype::bf16, 3, 40000},
                                  {dtype::f32, dtype::f32, 17, 1}};

TEST_F(fusion_numbers, before_a_softmax) {
  for (const fused_case& c : k_cases) check_softmax_around(c, true, false);
}

TEST_F(fusion_numbers, behind_a_softmax) {
  for (const fused_case& c : k_cases) check_softmax_around(c, false, true);
}

TEST_F(fusion_numbers, before_and_behind_a_softmax) {
  for (const fused_case& c : k_cases) check_softmax_around(c, true, true);
}

TEST_F(fusion_numbers, a_softmax_in_place) {
  const std::int64_t rows = 12, width = 700;
  tensor x(under_test().where, dtype::f32, {rows, width}, {}, {}, output_poison);
  x.write(normal(rows * width, 2));
  around a(width);
  op_call call("softmax");
  ASSERT_TRUE(a.run(call.operand("x", const_tensor_view(x.view())).operand("y", x.view())));
  const std::vector<float> input = x.written(), got = stored_in(x);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto one =
        rowsmith::reference::softmax(a.seen(row_of(input, width, row)), rowsmith::reference::exponential::accurate);
    ASSERT_TRUE(rowsmith::reference::within(a.stored(one.y), dtype::f32, row_of(got, width, row))) << row;
  }
}

// Rows that are columns in memory, with a mask that removes whole rows: masked mode makes their softmax 0, not what is
// behind it.
TEST_F(fusion_numbers, a_masked_log_softmax_along_columns) {
  const std::int64_t rows = 70, width = 40;
  const device where = under_test().where;
  tensor x(where, dtype::f16, {rows, width}, {1, rows}), mask(where, dtype::b8, {rows, width}),
      y(where, dtype::f32, {rows, width}, {1, rows}, {}, output_poison),
      lse(where, dtype::f32, {rows, 1}, {}, {}, output_poison);
  x.write(normal(rows * width, 2));
  std::vector<std::int64_t> keeps;
  for (std::int64_t i = 0; i < rows * width; ++i) keeps.push_back(i / width % 11 != 4 && i * 7919 % 3 != 0);
  mask.write_whole(keeps);
  around a(width);
  op_call call("log_softmax");
  call.operand("x", const_tensor_view(x.view())).operand("mask", const_tensor_view(mask.view()));
  call.operand("y", y.view()).operand("lse", lse.view()).set("mask", "keep").set("mode", "masked");
  ASSERT_TRUE(a.run(call));
  const std::vector<float> input = x.written(), got = stored_in(y), sums = stored_in(lse);
  for (std::int64_t row = 0; row < rows; ++row) {
    rowsmith::reference::logit_terms terms;
    for (std::int64_t i = 0; i < width; ++i)
      terms.keep.push_back(keeps[static_cast<std::size_t>(row * width + i)] != 0);
    const reals logits = rowsmith::reference::logits(a.seen(row_of(input, width, row)), terms);
    const auto want = rowsmith::reference::log_softmax(logits, rowsmith::reference::empty_rows::zero);
    ASSERT_TRUE(rowsmith::reference::within(a.stored(want.y), dtype::f32, row_of(got, width, row))) << row;
    ASSERT_TRUE(rowsmith::reference::within(want.lse, dtype::f32, sums[static_cast<std::size_t>(row)])) << row;
  }
}

const std::vector<std::int64_t> k_picks = {4, -1, 0, 0, 5, 2, -7, std::int64_t{1} << 33, 1};

bool is_missing(std::int64_t pick) { return pick < 0 || pick >= 5; }

// A row that the index does not find is +0, whatever an expression makes of zeros; what is behind the op sees that 0.
TEST_F(fusion_numbers, J6_around_norms_of_picked_rows) {
  const auto rows = static_cast<std::int64_t>(k_picks.size());
  const device where = under_test().where;
  for (const bool centered : {true, false}) {
    for (const std::int64_t width : {1, 100, 1024}) {
      SCOPED_TRACE(testing::Message() << (centered ? "layer_norm " : "rms_norm ") << width);
      tensor x(where, dtype::bf16, {5, width}), weight(where, dtype::f32, {width}),
          y(where, dtype::f32, {rows, width}, {}, {}, output_poison),
          rstd(where, dtype::f32, {rows}, {}, {}, output_poison);
      const index_tensor index(where, dtype::i64, {rows}, k_picks);
      x.write(normal(5 * width, 2));
      weight.write(normal(width, 1, 5));
      around a(width);
      op_call call(centered ? "norm_gather" : "rms_norm_gather");
      call.operand("x", const_tensor_view(x.view())).operand("weight", const_tensor_view(weight.view()));
      call.operand("y", y.view()).operand("rstd", rstd.view()).operand("index", index.view());
      ASSERT_TRUE(a.run(call.set("cast", "before_weight")));
      const std::vector<float> input = x.written(), got = stored_in(y), spread = stored_in(rstd);
      rowsmith::reference::affine affine{rowsmith::reference::widened(weight.written()), {}, false, dtype::bf16};
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t pick = k_picks[static_cast<std::size_t>(r)];
        rowsmith::reference::norm_row want{expected(static_cast<std::size_t>(width)), {}, {}};
        if (!is_missing(pick)) {
          const reals seen = a.seen(row_of(input, width, pick));
          want = centered ? rowsmith::reference::layer_norm(seen, 1e-5, affine)
                          : rowsmith::reference::rms_norm(seen, 1e-5, affine);
        }
        ASSERT_TRUE(rowsmith::reference::within(a.stored(want.y), dtype::f32, row_of(got, width, r))) << "row " << r;
        ASSERT_TRUE(rowsmith::reference::within(want.rstd, dtype::f32, spread[static_cast<std::size_t>(r)])) << r;
      }
    }
  }
}

TEST_F(fusion_numbers, J6_before_a_softmax_of_picked_rows) {
  const auto rows = static_cast<std::int64_t>(k_picks.size());
  const device where = under_test().where;
  for (const char* op : {"softmax", "log_softmax"}) {
    for (const std::int64_t width : {3, 256, 1001, 40000}) {
      SCOPED_TRACE(testing::Message() << op << " " << width);
      tensor x(where, dtype::f16, {5, width}), y(where, dtype::f32, {rows, width}, {}, {}, output_poison);
      const index_tensor index(where, dtype::i32, {rows}, {4, -1, 0, 0, 5, 2, -7, 1 << 30, 1});
      x.write(normal(5 * width, 2));
      around a(width, true, false);
      op_call call(op);
      call.operand("x", const_tensor_view(x.view())).operand("y", y.view()).operand("index", index.view());
      ASSERT_TRUE(a.run(call.rows("x", "index")));
      const std::vector<float> input = x.written(), got = stored_in(y);
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t pick = k_picks[static_cast<std::size_t>(r)];
        expected want(static_cast<std::size_t>(width));
        if (!is_missing(pick)) {
          const reals seen = a.seen(row_of(input, width, pick));
          want = op[0] == 's' ? rowsmith::reference::softmax(seen, rowsmith::reference::exponential::accurate).y
                              : rowsmith::reference::log_softmax(seen).y;
        }
        ASSERT_TRUE(rowsmith::reference::within(want, dtype::f32, row_of(got, width, r))) << "row " << r;
      }
    }
  }
}

// Reduced axes that do not merge, and a sum that is stored on the way: it is of what the expression made of x.
TEST_F(fusion_numbers, around_an_added_norm_of_axes_that_do_not_merge) {
  const std::int64_t rows = 6, a0 = 5, a1 = 12, width = a0 * a1;
  const device where = under_test().where;
  tensor x(where, dtype::f16, {rows, a0, a1}, {width, 1, a0}), residual(where, dtype::f16, {rows, a0, a1}),
      y(where, dtype::f32, {rows, a0, a1}, {}, {}, output_poison),
      sum(where, dtype::f16, {rows, a0, a1}, {}, {}, output_poison);
  x.write(normal(rows * width, 2));
  residual.write(normal(rows * width, 1, 4));
  tensor more(where, dtype::f32, {a0, a1});
  more.write(normal(width, 1, 6));
  const auto pre = expression::make(arg(0) * param(0) + arg(1)), post = expression::make(arg(0) * param(1));
  op_call call("add_layer_norm");
  call.operand("x", const_tensor_view(x.view())).operand("residual", const_tensor_view(residual.view())).axis(2);
  call.operand("y", y.view()).operand("sum", sum.view());
  call.fuse(fusion{}.pre(*pre).post(*post).with(more.view()).param(0, p0).param(1, 0.25f));  // a power of two is exact
  const status called = call.run();
  ASSERT_TRUE(called.ok()) << called.to_string() << called.detail();
  ASSERT_TRUE(synchronize(where, {}).ok());
  const std::vector<float> input = x.written(), added = residual.written(), argument = more.written(),
                           got = stored_in(y), sums = stored_in(sum);
  for (std::int64_t r = 0; r < rows; ++r) {
    reals seen;
    for (std::int64_t i = 0; i < width; ++i) {
      const float scaled = input[static_cast<std::size_t>(r * width + i)] * p0;
      seen.push_back(scaled + argument[static_cast<std::size_t>(i)]);
    }
    const auto total = rowsmith::reference::add_residual(seen, rowsmith::reference::widened(row_of(added, width, r)),
                                                         dtype::f16, rowsmith::reference::round_residual::storage);
    expected want = rowsmith::reference::layer_norm(total.read, 1e-5).y;
    for (auto& b : want) b = {b.value * 0.25, b.error * 0.25};
    ASSERT_TRUE(
        rowsmith::reference::within(rowsmith::reference::exactly(total.stored), dtype::f16, row_of(sums, width, r)))
        << r;
    ASSERT_TRUE(rowsmith::reference::within(want, dtype::f32, row_of(got, width, r))) << r;
  }
}

TEST_F(fusion_numbers, before_moments) {
  const std::int64_t rows = 7, width = 900;
  const device where = under_test().where;
  tensor x(where, dtype::f32, {rows, width}), mean(where, dtype::f32, {rows}, {}, {}, output_poison),
      variance(where, dtype::f32, {rows}, {}, {}, output_poison);
  x.write(normal(rows * width, 2));
  around a(width, true, false);
  op_call call("moments");
  call.operand("x", const_tensor_view(x.view()))
      .operand("mean", mean.view())
      .operand("variance", variance.view())
      .axis(2);
  ASSERT_TRUE(a.run(call));
  const std::vector<float> input = x.written(), means = stored_in(mean), variances = stored_in(variance);
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto want = rowsmith::reference::moments(a.seen(row_of(input, width, r)));
    EXPECT_TRUE(rowsmith::reference::within(want.mean, dtype::f32, means[static_cast<std::size_t>(r)])) << r;
    EXPECT_TRUE(rowsmith::reference::within(want.variance, dtype::f32, variances[static_cast<std::size_t>(r)])) << r;
  }
}

// The first operand of a gradient is y: it may be kept in another form than softmax left it in.
TEST_F(fusion_numbers, around_a_softmax_backward) {
  const std::int64_t rows = 7, width = 129;
  const device where = under_test().where;
  tensor y(where, dtype::f32, {rows, width}), dy(where, dtype::bf16, {rows, width}),
      dx(where, dtype::f32, {rows, width}, {}, {}, output_poison);
  y.write(normal(rows * width, 0.01f));
  dy.write(normal(rows * width, 1, 8));
  around a(width);
  op_call call("softmax_backward");
  call.operand("y", const_tensor_view(y.view())).operand("dy", const_tensor_view(dy.view())).operand("dx", dx.view());
  ASSERT_TRUE(a.run(call));
  const std::vector<float> input = y.written(), flowing = dy.written(), got = stored_in(dx);
  for (std::int64_t r = 0; r < rows; ++r) {
    const reals seen = a.seen(row_of(input, width, r)), d = rowsmith::reference::widened(row_of(flowing, width, r));
    const expected want = a.stored(rowsmith::reference::softmax_backward(seen, d));
    ASSERT_TRUE(rowsmith::reference::within(want, dtype::f32, row_of(got, width, r))) << r;
  }
}

// Gradients of the norms take no further arguments.
TEST_F(fusion_numbers, around_norm_backwards_without_weight_gradients) {
  const std::int64_t rows = 5;
  const device where = under_test().where;
  const auto pre = expression::make(arg(0) * param(0)), post = expression::make(arg(0) * param(1));
  for (const bool centered : {true, false}) {
    for (const std::int64_t width : {49, 512, 9001}) {
      tensor x(where, dtype::f16, {rows, width}), dy(where, dtype::f16, {rows, width}),
          dx(where, dtype::f32, {rows, width}, {}, {}, output_poison);
      x.write(normal(rows * width, 2));
      dy.write(normal(rows * width, 1, 8));
      op_call call(centered ? "layer_norm_backward" : "rms_norm_backward");
      call.operand("x", const_tensor_view(x.view())).operand("dy", const_tensor_view(dy.view()));
      call.operand("dx", dx.view()).fuse(fusion{}.pre(*pre).post(*post).param(0, p0).param(1, 0.25f));
      const status called = call.run();
      ASSERT_TRUE(called.ok()) << called.to_string() << called.detail();
      ASSERT_TRUE(synchronize(where, {}).ok());
      const std::vector<float> input = x.written(), flowing = dy.written(), got = stored_in(dx);
      for (std::int64_t r = 0; r < rows; ++r) {
        reals seen, d;
        for (const float v : row_of(input, width, r)) seen.push_back(v * p0);
        for (const float v : row_of(flowing, width, r)) d.push_back(v);
        const auto of = centered ? rowsmith::reference::layer_norm_backward : rowsmith::reference::rms_norm_backward;
        expected want = of(seen, d, static_cast<std::size_t>(width), {}).dx;
        for (auto& b : want) b = {b.value * 0.25, b.error * 0.25};  // a power of two is exact
        ASSERT_TRUE(rowsmith::reference::within(want, dtype::f32, row_of(got, width, r))) << width << " row " << r;
      }
    }
  }
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
        const std::span<const float> stored(got.data() + row * static_cast<std::size_t>(width),
                                            static_cast<std::size_t>(width));
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

// The fallback keeps what an expression makes of a row in a workspace; a caller may bring it.
TEST_F(fusion_numbers, a_workspace_that_the_caller_brings) {
  const std::int64_t rows = 9, width = 65;
  const device where = under_test().where;
  tensor x(where, dtype::f32, {rows, width}), own(where, dtype::f32, {rows, width}, {}, {}, output_poison),
      brought(where, dtype::f32, {rows, width}, {}, {}, output_poison);
  x.write(normal(rows * width));
  const auto pre = expression::make(sigmoid(arg(0)) * param(0));
  const auto call_on = [&](tensor& y) {
    op_call c("softmax");
    c.operand("x", const_tensor_view(x.view())).operand("y", y.view()).fuse(fusion{}.pre(*pre).param(0, p0));
    return c;
  };
  ASSERT_TRUE(call_on(own).run().ok());
  op_call with_memory = call_on(brought);
  const auto bytes = with_memory.workspace_bytes();
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  EXPECT_EQ(*bytes, under_test().scalar ? static_cast<std::size_t>(rows * width) * sizeof(float) : 0u);
  tensor memory(where, dtype::f32, {rows * width + 3}, {}, {}, output_poison);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.view().data);
  void* aligned = reinterpret_cast<void*>((begin + 15) / 16 * 16);
  ASSERT_TRUE(with_memory.workspace(aligned, static_cast<std::size_t>(rows * width) * sizeof(float)).run().ok());
  ASSERT_TRUE(synchronize(where, {}).ok());
  memory.fetch();
  EXPECT_TRUE(memory.only_elements_changed());
  EXPECT_EQ(stored_in(brought), stored_in(own));
  if (*bytes != 0) {
    const status s = with_memory.workspace(aligned, *bytes - 1).run();
    EXPECT_EQ(s.error(), code::invalid_argument) << s.to_string();
  }
}

TEST_F(fusion_numbers, what_is_refused) {
  const device where = under_test().where;
  tensor x(where, dtype::f32, {4, 8}), mean(where, dtype::f32, {4});
  const auto post = expression::make(arg(0) * param(0));
  op_call moments("moments");
  moments.operand("x", const_tensor_view(x.view())).operand("mean", mean.view()).axis(2).fuse(fusion{}.post(*post));
  const status s = moments.run();
  EXPECT_EQ(s.error(), code::invalid_argument);
  EXPECT_NE(s.message().find("post"), std::string::npos) << s.to_string();
  tensor y(where, dtype::f32, {2, 8});
  const index_tensor index(where, dtype::i64, {2}, {1, 0});
  op_call gather("gather_rows");
  gather.operand("x", const_tensor_view(x.view())).operand("index", index.view()).rows("x", "index");
  const status moved = gather.operand("y", y.view()).fuse(fusion{}.pre(*post)).run();
  EXPECT_EQ(moved.error(), code::invalid_argument);
  EXPECT_NE(moved.message().find("gather_rows"), std::string::npos) << moved.to_string();
}

}  // namespace
}  // namespace rowsmith::test
