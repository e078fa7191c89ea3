#include "support/softmax_check.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "rowsmith/explain.h"
#include "support/tolerance.h"

namespace rowsmith::test {

namespace {

std::string text(const dims& d) {
  std::ostringstream s;
  for (std::size_t i = 0; i < d.size(); ++i) s << (i == 0 ? "" : "x") << d[i];
  return s.str();
}

std::string text(const softmax_call& c) {
  std::ostringstream s;
  s << name_of(c.type) << " " << text(c.shape) << " axis " << c.axis << (c.in_place ? " in place" : "");
  if (!c.x_stride.empty()) s << ", x's strides " << text(c.x_stride);
  if (!c.y_stride.empty()) s << ", y's strides " << text(c.y_stride);
  s << ", phases " << c.x_at.phase << " and " << c.y_at.phase << ", tight at the "
    << (c.x_at.tight == edge::end ? "end" : "begin");
  return s.str();
}

bool is_accurate(const softmax_call& c) {
  return c.exponential == exp_mode::by_output ? c.type.out == dtype::f32 : c.exponential == exp_mode::accurate;
}

// Every row along the axis against its reference. Rows that repeat are computed once.
void compare(const softmax_call& c, const std::vector<float>& x, const std::vector<float>& y, std::size_t period) {
  const auto axis = static_cast<std::size_t>(c.axis < 0 ? c.axis + static_cast<int>(c.shape.size()) : c.axis);
  const auto width = static_cast<std::size_t>(c.shape[axis]);
  const auto step = static_cast<std::size_t>(dense_strides(c.shape)[axis]);
  const std::size_t rows = y.size() / width;
  std::vector<std::optional<softmax_reference>> known(step == 1 && period % width == 0 ? period / width : 0);
  std::vector<float> row(width), got(width);
  int failures = 0;
  for (std::size_t r = 0; r < rows && failures < 3; ++r) {
    const std::size_t first = r / step * step * width + r % step;
    for (std::size_t i = 0; i < width; ++i) row[i] = x[first + i * step], got[i] = y[first + i * step];
    std::optional<softmax_reference> fresh;
    std::optional<softmax_reference>& want = known.empty() ? fresh : known[r % known.size()];
    if (!want) want.emplace(row, c.type.out, is_accurate(c));
    const testing::AssertionResult ok = within(*want, got);
    EXPECT_TRUE(ok) << "row " << r << " of " << rows << "; " << text(c);
    failures += !ok;
  }
}

}  // namespace

device_under_test& under_test() {
  static device_under_test it;
  return it;
}

std::string name_of(dtypes t) {
  std::string name(rowsmith::name_of(t.in));
  if (t.out != t.in) name += "_to_" + std::string(rowsmith::name_of(t.out));
  return name;
}

softmax_outcome check_softmax(const softmax_call& c, const std::vector<float>& x) {
  const device where = under_test().where;
  tensor in(where, c.type.in, c.shape, c.x_stride, c.x_at, c.in_place ? output_poison : input_poison);
  in.write(x);
  std::optional<tensor> other;
  if (!c.in_place) other.emplace(where, c.type.out, c.shape, c.y_stride, c.y_at, output_poison);
  tensor& out = c.in_place ? in : *other;

  const softmax_options options =
      softmax_options().axis(c.axis).exp(c.exponential).width(c.width).batch_invariant(c.batch_invariant);
  const std::uint64_t misses = counters().calls_missed;
  const status called = c.in_place ? softmax(in.view(), options, c.on) : softmax(in.view(), out.view(), options, c.on);
  const status done = synchronize(where, c.on);
  if (!called.ok() || !done.ok()) {
    ADD_FAILURE() << called.to_string() << called.detail() << done.to_string() << "; " << text(c);
    return {};
  }
  if (counters().calls_missed != misses) {
    const call_trace trace = last_cold_call();
    EXPECT_EQ(is_fallback(trace), under_test().scalar) << trace.strategy << " from " << trace.source << "; " << text(c);
  }
  out.fetch();
  EXPECT_TRUE(out.only_elements_changed()) << "y; " << text(c);
  if (!c.in_place) {
    in.fetch();
    EXPECT_TRUE(in.unchanged()) << "x; " << text(c);
  }
  softmax_outcome got{out.read(), out.bits()};
  if (count(c.shape) != 0) compare(c, in.written(), got.y, c.x_stride.empty() ? x.size() : 0);
  return got;
}

std::vector<float> softmax_of(const std::vector<float>& row, dtypes type) {
  softmax_call c;
  c.type = type;
  c.shape = {static_cast<std::int64_t>(row.size())};
  return check_softmax(c, row).y;
}

}  // namespace rowsmith::test
