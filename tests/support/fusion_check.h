// fusion_check: expressions before and behind a row op, and what they make of its rows.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "reference/expected.h"
#include "reference/expression.h"
#include "reference/softmax.h"
#include "rowsmith/call.h"
#include "support/reference.h"
#include "support/softmax_check.h"
#include "support/tensor.h"
#include "support/values.h"

namespace rowsmith::test {

using rowsmith::reference::expected;
using rowsmith::reference::reals;

inline constexpr float p0 = 0.75f, p1 = 0.5f;

// The expressions of these tests: two operations before the op, each rounded once, so that a float computes them
// exactly; behind it a function that only approximations know.
class around {
 public:
  explicit around(std::int64_t width, bool pre = true, bool post = true)
      : pre_(pre), post_(post), more_(under_test().where, dtype::f32, {width}) {
    more_.write(normal(width, 1, 3));
  }

  // Runs the call with the expressions; true: it succeeded.
  bool run(op_call& call) {
    fusion f;
    if (pre_) f.pre(before_);
    if (post_) f.post(behind_);
    const status called = call.fuse(f.with(more_.view()).param(0, p0).param(1, p1)).run();
    EXPECT_TRUE(called.ok()) << called.to_string() << called.detail();
    EXPECT_TRUE(synchronize(under_test().where, {}).ok());
    if (under_test().scalar) {
      EXPECT_TRUE(is_fallback(last_cold_call()));
    }
    more_.fetch();
    EXPECT_TRUE(more_.unchanged());
    argument_ = more_.written();
    return called.ok();
  }

  // What the op sees of a row.
  reals seen(std::span<const float> row) const {
    reals all;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const float scaled = row[i] * p0;
      all.push_back(pre_ ? scaled + argument_[i] : row[i]);
    }
    return all;
  }

  // What is stored of the op's result.
  expected stored(expected result) const {
    const double params[] = {p0, p1, 0, 0};
    for (std::size_t i = 0; post_ && i < result.size(); ++i) {
      const rowsmith::reference::bounded args[] = {result[i], {argument_[i]}};
      result[i] = rowsmith::reference::evaluate(behind_, args, params)[0];
    }
    return result;
  }

 private:
  bool pre_, post_;
  tensor more_;
  const expression before_ = *expression::make(arg(0) * param(0) + arg(1));
  const expression behind_ = *expression::make(silu(arg(0)) + arg(1) * param(1));
  std::vector<float> argument_;
};

inline std::span<const float> row_of(const std::vector<float>& all, std::int64_t width, std::int64_t row) {
  return std::span(all).subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
}

inline std::vector<float> stored_in(tensor& y) {
  y.fetch();
  EXPECT_TRUE(y.only_elements_changed());
  return y.read();
}

struct fused_case {
  dtype in, out;
  std::int64_t rows, width;
};

// Softmax with the expressions around it, against float64.
inline void check_softmax_around(const fused_case& c, bool pre, bool post) {
  SCOPED_TRACE(testing::Message() << c.rows << "x" << c.width << (pre ? " pre" : "") << (post ? " post" : ""));
  const device where = under_test().where;
  tensor x(where, c.in, {c.rows, c.width}), y(where, c.out, {c.rows, c.width}, {}, {}, output_poison);
  x.write(normal(c.rows * c.width, 2));
  around a(c.width, pre, post);
  op_call call("softmax");
  ASSERT_TRUE(a.run(call.operand("x", const_tensor_view(x.view())).operand("y", y.view())));
  const std::vector<float> input = x.written(), got = stored_in(y);
  x.fetch();
  EXPECT_TRUE(x.unchanged());
  const auto e =
      c.out == dtype::f32 ? rowsmith::reference::exponential::accurate : rowsmith::reference::exponential::fast;
  for (std::int64_t row = 0; row < c.rows; ++row) {
    const expected want = a.stored(rowsmith::reference::softmax(a.seen(row_of(input, c.width, row)), e).y);
    ASSERT_TRUE(rowsmith::reference::within(want, c.out, row_of(got, c.width, row))) << "row " << row;
  }
}

}  // namespace rowsmith::test
