#include "support/rows_check.h"

#include <algorithm>

#include "rowsmith/explain.h"
#include "support/reference.h"
#include "support/values.h"

namespace rowsmith::test {

namespace {

dims joined(dims a, const dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool ran(const status& called) {
  const status done = synchronize(under_test().where);
  EXPECT_TRUE(called.ok()) << called.to_string() << called.detail();
  EXPECT_TRUE(done.ok()) << done.to_string();
  return called.ok() && done.ok();
}

// A cold call may not have fallen back by itself.
void expect_own_kernel(std::uint64_t misses) {
  if (counters().calls_missed == misses) return;
  const call_trace trace = last_cold_call();
  EXPECT_EQ(is_fallback(trace), under_test().scalar) << trace.strategy << " from " << trace.source;
}

}  // namespace

std::vector<unsigned char> check_gather(const gather_call& c, const std::vector<std::int64_t>& index,
                                        const std::vector<float>& table) {
  const device where = under_test().where;
  tensor x(where, c.type.in, joined({c.table_rows}, c.row_shape), c.table_stride, c.table_at);
  tensor i(where, c.index_type, c.index_shape, c.index_stride);
  tensor y(where, c.type.out, joined(c.index_shape, c.row_shape), c.rows_stride, c.rows_at, output_poison);
  if (count(c.row_shape) * c.table_rows != 0) x.write(table);
  if (!index.empty()) i.write_whole(index);
  const std::uint64_t misses = counters().calls_missed;
  if (!ran(gather_rows(x.view(), i.view(), y.view(), c.options))) return {};
  expect_own_kernel(misses);
  y.fetch(), x.fetch(), i.fetch();
  EXPECT_TRUE(y.only_elements_changed());
  EXPECT_TRUE(x.unchanged());
  EXPECT_TRUE(i.unchanged());
  const std::vector<float> stored = x.written();
  const auto want =
      reference::gather_rows(reference::widened(stored), static_cast<std::size_t>(count(c.row_shape)), index);
  EXPECT_TRUE(reference::within(want, c.type.out, y.read()));
  return y.bits();
}

std::vector<unsigned char> check_gather_backward(const gather_call& c, const std::vector<std::int64_t>& index,
                                                 const std::vector<float>& values) {
  const device where = under_test().where;
  tensor dy(where, c.type.in, joined(c.index_shape, c.row_shape), c.rows_stride, c.rows_at);
  tensor i(where, c.index_type, c.index_shape, c.index_stride);
  tensor dx(where, c.type.out, joined({c.table_rows}, c.row_shape), c.table_stride, c.table_at, output_poison);
  if (!index.empty()) dy.write(values), i.write_whole(index);
  const std::uint64_t misses = counters().calls_missed;
  if (!ran(gather_rows_backward(dy.view(), i.view(), dx.view(), c.options))) return {};
  expect_own_kernel(misses);
  dx.fetch(), dy.fetch(), i.fetch();
  EXPECT_TRUE(dx.only_elements_changed());
  EXPECT_TRUE(dy.unchanged());
  EXPECT_TRUE(i.unchanged());
  const auto want =
      reference::gather_rows_backward(reference::widened(dy.written()), static_cast<std::size_t>(count(c.row_shape)),
                                      index, static_cast<std::size_t>(c.table_rows));
  EXPECT_TRUE(reference::within(want, c.type.out, dx.read()));
  return dx.bits();
}

namespace {

// The elements of every set that moments are taken of: sets in row-major order of the axes that stay, elements
// likewise.
std::vector<reference::reals> sets_of(const moments_call& c, const std::vector<bool>& reduced,
                                      const std::vector<float>& x) {
  std::size_t sets = 1;
  for (std::size_t d = 0; d < c.shape.size(); ++d) sets *= reduced[d] ? 1 : static_cast<std::size_t>(c.shape[d]);
  std::vector<reference::reals> all(sets);
  dims at(c.shape.size(), 0);
  for (const float v : x) {
    std::size_t set = 0;
    for (std::size_t d = 0; d < c.shape.size(); ++d) {
      if (!reduced[d]) set = set * static_cast<std::size_t>(c.shape[d]) + static_cast<std::size_t>(at[d]);
    }
    all[set].push_back(v);
    for (std::size_t d = c.shape.size(); d-- > 0;) {
      if (++at[d] < c.shape[d]) break;
      at[d] = 0;
    }
  }
  return all;
}

}  // namespace

moments_outcome check_moments(const moments_call& c, const std::vector<float>& values) {
  const device where = under_test().where;
  std::vector<bool> reduced(c.shape.size(), false);
  for (const int a : c.axes) reduced[static_cast<std::size_t>(a < 0 ? a + static_cast<int>(c.shape.size()) : a)] = true;
  dims kept;
  for (std::size_t d = 0; d < c.shape.size(); ++d) {
    if (!reduced[d])
      kept.push_back(c.shape[d]);
    else if (c.keep_axes)
      kept.push_back(1);
  }
  if (kept.empty()) kept = dims(c.shape.size(), 1);
  tensor x(where, c.type.in, c.shape, c.x_stride, c.x_at);
  tensor mean(where, c.type.out, kept, {}, {}, output_poison), variance(where, c.type.out, kept, {}, {}, output_poison);
  if (count(c.shape) != 0) x.write(values);
  const axis_list axes(c.axes.data(), c.axes.size());
  const std::uint64_t misses = counters().calls_missed;
  const status called = c.variance ? moments(x.view(), axes, mean.view(), variance.view(), c.options)
                                   : moments(x.view(), axes, mean.view(), c.options);
  if (!ran(called)) return {};
  if (count(c.shape) != 0) expect_own_kernel(misses);
  mean.fetch(), variance.fetch(), x.fetch();
  EXPECT_TRUE(mean.only_elements_changed());
  EXPECT_TRUE(c.variance ? variance.only_elements_changed() : variance.unchanged());
  EXPECT_TRUE(x.unchanged());
  moments_outcome got{mean.read(), variance.read(), mean.bits()};
  const auto more = variance.bits();
  got.bits.insert(got.bits.end(), more.begin(), more.end());
  if (got.mean.empty()) return got;
  const auto sets = sets_of(c, reduced, count(c.shape) == 0 ? std::vector<float>{} : x.written());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const reference::moments_of want = reference::moments(sets[s]);
    EXPECT_TRUE(reference::within(want.mean, c.type.out, got.mean[s])) << "mean of set " << s;
    if (c.variance) {
      EXPECT_TRUE(reference::within(want.variance, c.type.out, got.variance[s])) << "variance of set " << s;
    }
    if (testing::Test::HasFailure()) break;
  }
  return got;
}

void check_gathers_of_any_width(std::int64_t width) {
  gather_call g;
  g.table_rows = 11;
  g.index_shape = {5}, g.row_shape = {width};
  g.options.width(width_mode::any);
  check_gather(g, {3, -1, 10, 0, 3}, normal(11 * width));
  check_gather_backward(g, {3, -1, 10, 0, 3}, normal(5 * width));
}

}  // namespace rowsmith::test
