// Tensors of more than 2^31 elements, of the ops beside softmax: every element is read and written, rows at all telling
// places are looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "reference/expression.h"
#include "reference/norm.h"
#include "rowsmith/rowsmith.h"
#include "support/element.h"
#include "support/reference.h"
#include "support/softmax_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr std::size_t zone = 1 << 20;  // bytes of poison behind the elements
constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;

// `count` elements on the device that repeat a pattern, with poison behind them. No room: data() is null.
class huge_tensor {
 public:
  huge_tensor(dtype type, std::int64_t count) : type_(type), bytes_(static_cast<std::size_t>(count) * size_of(type)) {
    result<void*> got = allocate(where(), bytes_ + zone);
    if (!got) return;
    memory_ = static_cast<char*>(*got);
    const std::vector<unsigned char> behind(zone, output_poison_byte);
    EXPECT_TRUE(copy(where(), memory_ + bytes_, behind.data(), zone).ok());
  }
  ~huge_tensor() {
    if (memory_ != nullptr) {
      EXPECT_TRUE(release(where(), memory_).ok());
    }
  }
  huge_tensor(const huge_tensor&) = delete;
  huge_tensor& operator=(const huge_tensor&) = delete;

  static device where() { return under_test().where; }
  void* data() const { return memory_; }

  // Element i is pattern[i modulo its length], rounded to the type; what was stored comes back.
  std::vector<float> fill(std::vector<float> pattern) {
    const std::size_t size = size_of(type_);
    std::vector<char> raw(pattern.size() * size);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      put(&raw[i * size], type_, pattern[i]);
      pattern[i] = get(&raw[i * size], type_);
    }
    EXPECT_TRUE(copy(where(), memory_, raw.data(), std::min(raw.size(), bytes_)).ok());
    for (std::size_t done = raw.size(); done < bytes_; done *= 2) {
      EXPECT_TRUE(copy(where(), memory_ + done, memory_, std::min(done, bytes_ - done)).ok());
    }
    return pattern;
  }

  std::vector<float> read(std::int64_t first, std::int64_t count) const {
    const std::size_t size = size_of(type_), n = static_cast<std::size_t>(count);
    std::vector<char> raw(n * size);
    EXPECT_TRUE(copy(where(), raw.data(), memory_ + static_cast<std::size_t>(first) * size, raw.size()).ok());
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = get(&raw[i * size], type_);
    return values;
  }

  bool nothing_behind_was_written() const {
    std::vector<unsigned char> behind(zone);
    EXPECT_TRUE(copy(where(), behind.data(), memory_ + bytes_, zone).ok());
    return std::all_of(behind.begin(), behind.end(), [](unsigned char b) { return b == output_poison_byte; });
  }

 private:
  static constexpr unsigned char output_poison_byte = 0xc7;
  dtype type_;
  std::size_t bytes_;
  char* memory_ = nullptr;
};

// The first and last rows, those around every power of two of elements and bytes, and some between.
std::set<std::int64_t> telling(std::int64_t rows, std::int64_t width) {
  std::set<std::int64_t> some;
  const auto add = [&](std::int64_t r) {
    for (std::int64_t i = r - 1; i <= r + 1; ++i) {
      if (i >= 0 && i < rows) some.insert(i);
    }
  };
  for (int bit = 29; bit < 36; ++bit) add((std::int64_t{1} << bit) / width);
  for (std::int64_t i = 0; i <= 100; ++i) add((rows - 1) / 100 * i);
  add(0), add(rows - 1);
  return some;
}

class large_ops : public on_device {
 protected:
  static device where() { return under_test().where; }
  static const_tensor_view in(const huge_tensor& t, dtype type, std::initializer_list<std::int64_t> shape) {
    return dense(static_cast<const void*>(t.data()), type, shape, where());
  }
  static tensor_view out(const huge_tensor& t, dtype type, std::initializer_list<std::int64_t> shape) {
    return dense(t.data(), type, shape, where());
  }
  static void expect_done(const status& called) {
    ASSERT_TRUE(called.ok()) << called.to_string() << called.detail();
    ASSERT_TRUE(synchronize(where()).ok());
  }
};

TEST_F(large_ops, B1_B10_layer_norm) {
  const std::int64_t width = 768, rows = two_to_31 / width + 3, distinct = 61;
  huge_tensor x(dtype::bf16, rows * width), y(dtype::bf16, rows * width);
  if (x.data() == nullptr || y.data() == nullptr) GTEST_SKIP() << "no room";
  const std::vector<float> pattern = x.fill(normal(distinct * width, 2));
  expect_done(layer_norm(in(x, dtype::bf16, {rows, width}), out(y, dtype::bf16, {rows, width}), {}, norm_options()));
  EXPECT_TRUE(y.nothing_behind_was_written());
  for (const std::int64_t r : telling(rows, width)) {
    const auto row = std::span(pattern).subspan(static_cast<std::size_t>(r % distinct * width), width);
    const auto want = reference::layer_norm(reference::widened(row), 1e-5);
    ASSERT_TRUE(reference::within(want.y, dtype::bf16, y.read(r * width, width))) << "row " << r << " of " << rows;
  }
}

// A table and a result of more than 2^31 elements: rows in reverse, every thousandth from nowhere.
TEST_F(large_ops, B1_B12_gather_rows) {
  const std::int64_t width = 384, rows = two_to_31 / width + 3, distinct = 61;
  huge_tensor x(dtype::f16, rows * width), y(dtype::f16, rows * width), index(dtype::i64, rows);
  if (x.data() == nullptr || y.data() == nullptr || index.data() == nullptr) GTEST_SKIP() << "no room";
  const std::vector<float> pattern = x.fill(normal(distinct * width, 2));
  std::vector<std::int64_t> picks(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) picks[static_cast<std::size_t>(r)] = r % 1000 == 999 ? -1 : rows - 1 - r;
  ASSERT_TRUE(copy(where(), index.data(), picks.data(), picks.size() * sizeof picks[0]).ok());
  expect_done(
      gather_rows(in(x, dtype::f16, {rows, width}), in(index, dtype::i64, {rows}), out(y, dtype::f16, {rows, width})));
  EXPECT_TRUE(y.nothing_behind_was_written());
  std::set<std::int64_t> some = telling(rows, width);
  some.insert({999, rows / 1000 * 1000 - 1});
  for (const std::int64_t r : some) {
    const std::int64_t pick = picks[static_cast<std::size_t>(r)];
    std::vector<float> want(static_cast<std::size_t>(width));
    if (pick >= 0) std::copy_n(pattern.begin() + pick % distinct * width, width, want.begin());
    ASSERT_EQ(y.read(r * width, width), want) << "row " << r << " of " << rows;
  }
}

// A transpose: neither side moves along the other's lines.
TEST_F(large_ops, B1_copy) {
  const std::int64_t columns = 1024, rows = two_to_31 / columns + 5, period = 61 * 4099;
  huge_tensor x(dtype::bf16, rows * columns), y(dtype::bf16, rows * columns);
  if (x.data() == nullptr || y.data() == nullptr) GTEST_SKIP() << "no room";
  const std::vector<float> pattern = x.fill(normal(period, 2));
  const_tensor_view turned = in(x, dtype::bf16, {rows, columns});
  turned.stride[0] = 1, turned.stride[1] = rows;
  expect_done(copy(turned, out(y, dtype::bf16, {rows, columns})));
  EXPECT_TRUE(y.nothing_behind_was_written());
  for (const std::int64_t r : telling(rows, columns)) {
    const std::vector<float> row = y.read(r * columns, columns);
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_EQ(row[static_cast<std::size_t>(c)], pattern[static_cast<std::size_t>((c * rows + r) % period)])
          << "row " << r << ", column " << c;
    }
  }
}

TEST_F(large_ops, B1_elementwise) {
  const std::int64_t width = 1000, rows = two_to_31 / width + 3, distinct = 61;
  huge_tensor x(dtype::bf16, rows * width), y(dtype::bf16, rows * width), bias(dtype::f32, width);
  if (x.data() == nullptr || y.data() == nullptr || bias.data() == nullptr) GTEST_SKIP() << "no room";
  const std::vector<float> pattern = x.fill(normal(distinct * width, 2)), added = bias.fill(normal(width, 1, 7));
  const auto e = expression::make(silu(arg(0) + arg(1)));
  ASSERT_TRUE(e.ok());
  op_call call("elementwise");
  call.compute(*e).operand("x", in(x, dtype::bf16, {rows, width})).operand("in1", in(bias, dtype::f32, {width}));
  expect_done(call.operand("y", out(y, dtype::bf16, {rows, width})).run());
  EXPECT_TRUE(y.nothing_behind_was_written());
  for (const std::int64_t r : telling(rows, width)) {
    reference::expected want;
    for (std::int64_t i = 0; i < width; ++i) {
      const double args[] = {pattern[static_cast<std::size_t>(r % distinct * width + i)],
                             added[static_cast<std::size_t>(i)]};
      want.push_back(reference::evaluate(*e, args)[0]);
    }
    ASSERT_TRUE(reference::within(want, dtype::bf16, y.read(r * width, width))) << "row " << r << " of " << rows;
  }
}

// One row: y is the same everywhere, dy repeats, so that the sum of their products is known.
TEST_F(large_ops, B4_softmax_backward_of_one_row_of_2147483650_elements) {
  const std::int64_t width = 2147483650, period = 4099;
  huge_tensor y(dtype::f16, width), dy(dtype::f16, width), dx(dtype::f32, width);
  if (y.data() == nullptr || dy.data() == nullptr || dx.data() == nullptr) GTEST_SKIP() << "no room";
  const double p = y.fill({0x1p-12f})[0];
  std::vector<float> pattern = normal(period, 1, 2);
  for (float& v : pattern) v += 0.25f;
  pattern = dy.fill(pattern);
  double dot = 0, terms = 0;
  for (std::int64_t i = 0; i < period; ++i) {
    const double often = static_cast<double>((width - i - 1) / period + 1), d = pattern[static_cast<std::size_t>(i)];
    dot += p * d * often;
    terms += std::abs(p * d) * often;
  }
  op_call call("softmax_backward");
  call.operand("y", in(y, dtype::f16, {1, width})).operand("dy", in(dy, dtype::f16, {1, width}));
  expect_done(call.operand("dx", out(dx, dtype::f32, {1, width})).run());
  EXPECT_TRUE(dx.nothing_behind_was_written());
  const double levels = 16 + 2 * std::log2(static_cast<double>(width));
  for (const std::int64_t at : {std::int64_t{0}, width / 3, two_to_31 - 64, two_to_31 - 1, width - 64}) {
    const std::int64_t n = std::min<std::int64_t>(64, width - at);
    const std::vector<float> got = dx.read(at, n);
    for (std::int64_t i = 0; i < n; ++i) {
      const double d = pattern[static_cast<std::size_t>((at + i) % period)], want = p * (d - dot);
      EXPECT_NEAR(got[static_cast<std::size_t>(i)], want,
                  reference::half_ulp(dtype::f32, want) + 0x1p-24 * levels * p * (std::abs(d) + terms))
          << at + i;
    }
  }
}

}  // namespace
}  // namespace rowsmith::test
