#include "support/softmax_family_check.h"

#include <cmath>
#include <memory>
#include <sstream>

#include "rowsmith/explain.h"
#include "support/reference.h"

namespace rowsmith::test {

namespace {

std::string text(const dims& d) {
  std::ostringstream s;
  for (std::size_t i = 0; i < d.size(); ++i) s << (i == 0 ? "" : "x") << d[i];
  return s.str();
}

std::string text(const masked_call& c) {
  std::ostringstream s;
  s << (c.log ? "log_softmax " : "softmax ") << name_of(c.type) << " " << text(c.shape) << " axis " << c.axis
    << (c.masked ? " masked" : " plain") << " scale " << c.scale;
  if (c.form != mask_form::none) {
    s << " mask " << static_cast<int>(c.form) << " " << rowsmith::name_of(c.mask.type) << " " << text(c.mask.shape);
  }
  if (c.bias) s << " bias " << rowsmith::name_of(c.bias->type) << " " << text(c.bias->shape);
  if (c.causal) s << " causal " << *c.causal;
  if (!c.rows.empty()) s << " of picked rows";
  if (c.in_place) s << " in place";
  return s.str();
}

std::string text(const backward_call& c) {
  std::ostringstream s;
  s << (c.log ? "log_softmax_backward " : "softmax_backward ") << rowsmith::name_of(c.y) << ", "
    << rowsmith::name_of(c.dy) << " to " << rowsmith::name_of(c.dx) << " " << text(c.shape) << " axis " << c.axis
    << (c.masked ? " masked" : " plain") << " scale " << c.scale << " over " << static_cast<int>(c.over);
  return s.str();
}

// Rows of a shape along an axis: element i of row r.
struct row_walk {
  std::size_t width, step, rows;

  row_walk(const dims& shape, int axis) {
    const auto a = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
    width = static_cast<std::size_t>(shape[a]);
    step = static_cast<std::size_t>(dense_strides(shape)[a]);
    rows = width == 0 ? 0 : static_cast<std::size_t>(count(shape)) / width;
  }
  std::size_t at(std::size_t row, std::size_t i) const { return row / step * step * width + row % step + i * step; }
  template <class T>
  std::vector<T> row(const std::vector<float>& all, std::size_t r) const {
    std::vector<T> one(width);
    for (std::size_t i = 0; i < width; ++i) one[i] = all[at(r, i)];
    return one;
  }
};

// A broadcast operand as it meets every element of the call.
std::vector<float> spread(const side_operand& o, const std::vector<float>& stored, const dims& shape) {
  const dims dense = dense_strides(o.shape);
  std::vector<float> all(static_cast<std::size_t>(count(shape)));
  for (std::size_t n = 0; n < all.size(); ++n) {
    std::size_t rest = n, from = 0;
    for (std::size_t i = shape.size(); i-- > 0;) {
      const std::size_t index = rest % static_cast<std::size_t>(shape[i]);
      rest /= static_cast<std::size_t>(shape[i]);
      const std::size_t lead = shape.size() - o.shape.size();
      if (i >= lead && o.shape[i - lead] != 1) from += index * static_cast<std::size_t>(dense[i - lead]);
    }
    all[n] = stored[from];
  }
  return all;
}

dims without_axis(const dims& shape, int axis) {
  dims d = shape;
  d.erase(axis < 0 ? d.end() + axis : d.begin() + axis);
  return d;
}

bool is_accurate(exp_mode m, dtype out) {
  return m == exp_mode::by_output ? out == dtype::f32 : m == exp_mode::accurate;
}

using owned = std::unique_ptr<tensor>;

owned make(dtype type, const dims& shape, const dims& stride, const std::vector<float>& values, placement at = {},
           unsigned char poison = input_poison) {
  auto t = std::make_unique<tensor>(under_test().where, type, shape, stride, at, poison);
  if (!values.empty()) t->write(values);
  return t;
}

bool went_well(const status& called, const std::string& what) {
  const status done = synchronize(under_test().where, {});
  if (called.ok() && done.ok()) return true;
  ADD_FAILURE() << called.to_string() << called.detail() << done.to_string() << "; " << what;
  return false;
}

void expect_specialized(std::uint64_t misses_before, const std::string& what) {
  if (counters().calls_missed == misses_before) return;
  const call_trace trace = last_cold_call();
  EXPECT_EQ(is_fallback(trace), under_test().scalar) << trace.strategy << "; " << what;
}

// The values of x that a row of the call is made of; empty: that row is not there.
std::vector<double> x_of(const masked_call& c, const row_walk& walk, const std::vector<float>& x, std::size_t r) {
  if (c.rows.empty()) return walk.row<double>(x, r);
  const std::int64_t pick = c.rows[r];
  if (pick < 0 || pick >= c.table_rows) return {};
  const auto first = x.begin() + pick * static_cast<std::int64_t>(walk.width);
  return {first, first + static_cast<std::int64_t>(walk.width)};
}

reference::softmax_row missing_row(std::size_t width) {
  return {reference::expected(width, reference::bounded{0, 0, true}), {-INFINITY}};
}

class comparison {
 public:
  comparison(const masked_call& c, std::vector<float> x, const std::vector<float>& mask, const std::vector<float>& bias)
      : c_(c), walk_(c.shape, c.axis), x_(std::move(x)) {
    if (c.form != mask_form::none) mask_ = spread(c.mask, mask, c.shape);
    if (c.bias) bias_ = spread(*c.bias, bias, c.shape);
  }

  void compare(const masked_outcome& got) const {
    int failures = 0;
    for (std::size_t r = 0; r < walk_.rows && failures < 3; ++r) {
      const reference::softmax_row want = expected_row(r);
      const std::vector<float> y = walk_.row<float>(got.y, r);
      testing::AssertionResult ok = within(want.y, c_.type.out, y);
      if (ok && !c_.log) ok = sums_up(want, c_.type.out, y);
      EXPECT_TRUE(ok) << "row " << r << " of " << walk_.rows << "; " << text(c_);
      failures += !ok;
      if (!c_.lse) continue;
      ok = reference::within(want.lse, dtype::f32, got.lse[r]);
      EXPECT_TRUE(ok) << "lse of row " << r << "; " << text(c_);
      failures += !ok;
    }
  }

 private:
  reference::softmax_row expected_row(std::size_t r) const {
    const std::vector<double> x = x_of(c_, walk_, x_, r);
    if (x.empty()) return missing_row(walk_.width);
    reference::logit_terms terms;
    if (c_.scale != 1) terms.scale = c_.scale;
    if (c_.form == mask_form::additive) terms.additive = walk_.row<double>(mask_, r);
    if (c_.bias) terms.bias = walk_.row<double>(bias_, r);
    terms.keep = kept(r);
    const auto z = reference::logits(x, terms);
    const auto empty = c_.masked ? reference::empty_rows::zero : reference::empty_rows::not_a_number;
    if (c_.log) return reference::log_softmax(z, empty);
    const auto e =
        is_accurate(c_.exponential, c_.type.out) ? reference::exponential::accurate : reference::exponential::fast;
    return reference::softmax(z, e, empty);
  }

  std::vector<bool> kept(std::size_t r) const {
    std::vector<bool> keep(walk_.width, true);
    for (std::size_t i = 0; i < walk_.width; ++i) {
      if (c_.form == mask_form::keep) keep[i] = mask_[walk_.at(r, i)] != 0;
      if (c_.form == mask_form::drop) keep[i] = mask_[walk_.at(r, i)] == 0;
      if (c_.causal)
        keep[i] =
            keep[i] && static_cast<double>(i) <= static_cast<double>(query_of(r)) + static_cast<double>(*c_.causal);
    }
    return keep;
  }

  // The index of row r along the axis before the softmax's.
  std::int64_t query_of(std::size_t r) const {
    const auto axis = static_cast<std::size_t>(c_.axis < 0 ? c_.axis + static_cast<int>(c_.shape.size()) : c_.axis);
    return axis == 0 ? 0 : static_cast<std::int64_t>(r / walk_.step) % c_.shape[axis - 1];
  }

  const masked_call& c_;
  row_walk walk_;
  std::vector<float> x_, mask_, bias_;
};

status call(const masked_call& c, const const_tensor_view& x, const softmax_inputs& inputs, const tensor_view& y) {
  const softmax_options o = softmax_options()
                                .axis(c.axis)
                                .exp(c.exponential)
                                .masked(c.masked)
                                .scale(c.scale)
                                .width(c.width)
                                .batch_invariant(c.batch_invariant);
  return c.log ? log_softmax(x, inputs, y, o) : softmax(x, inputs, y, o);
}

}  // namespace

masked_outcome check_masked(const masked_call& c, const std::vector<float>& x) {
  const row_walk walk(c.shape, c.axis);
  const dims x_shape = c.rows.empty() ? c.shape : dims{c.table_rows, static_cast<std::int64_t>(walk.width)};
  const owned in = make(c.type.in, x_shape, {}, x, c.x_at, c.in_place ? output_poison : input_poison);
  const owned other = c.in_place ? nullptr : make(c.type.out, c.shape, {}, {}, c.y_at, output_poison);
  tensor& out = c.in_place ? *in : *other;

  softmax_inputs inputs;
  std::vector<owned> inputs_held;
  const auto add = [&](const side_operand& o) {
    inputs_held.push_back(make(o.type, o.shape, o.stride, o.values));
    return inputs_held.back()->view();
  };
  std::vector<float> mask, bias;
  if (c.form != mask_form::none) {
    const tensor_view v = add(c.mask);
    mask = inputs_held.back()->written();
    if (c.form == mask_form::keep) inputs.keep(v);
    if (c.form == mask_form::drop) inputs.drop(v);
    if (c.form == mask_form::additive) inputs.additive(v);
  }
  if (c.bias) {
    inputs.bias(add(*c.bias));
    bias = inputs_held.back()->written();
  }
  if (c.causal) inputs.causal(*c.causal);
  const dims per_row = without_axis(c.shape, c.axis);
  if (!c.rows.empty()) {
    inputs.rows(add({c.index_type, per_row, std::vector<float>(c.rows.begin(), c.rows.end())}));
  }
  const owned lse = c.lse && !per_row.empty() ? make(dtype::f32, per_row, {}, {}, {}, output_poison) : nullptr;
  if (lse != nullptr) inputs.lse(lse->view());

  const std::uint64_t misses = counters().calls_missed;
  if (!went_well(call(c, in->view(), inputs, out.view()), text(c))) return {};
  expect_specialized(misses, text(c));
  out.fetch();
  EXPECT_TRUE(out.only_elements_changed()) << "y; " << text(c);
  for (const owned& t : inputs_held) {
    t->fetch();
    EXPECT_TRUE(t->unchanged()) << "an input; " << text(c);
  }
  if (!c.in_place) {
    in->fetch();
    EXPECT_TRUE(in->unchanged()) << "x; " << text(c);
  }
  masked_outcome got{out.read(), {}, out.bits()};
  masked_call compared = c;
  compared.lse = lse != nullptr;
  if (lse != nullptr) {
    lse->fetch();
    EXPECT_TRUE(lse->only_elements_changed()) << "lse; " << text(c);
    got.lse = lse->read();
  }
  if (count(c.shape) != 0) comparison(compared, in->written(), mask, bias).compare(got);
  return got;
}

std::vector<float> check_backward(const backward_call& c, const std::vector<float>& y, const std::vector<float>& dy) {
  const auto poison = [&](role_of_dx r) { return c.over == r ? output_poison : input_poison; };
  const owned in_y = make(c.y, c.shape, {}, y, {}, poison(role_of_dx::y));
  const owned in_dy = make(c.dy, c.shape, c.dy_stride, dy, {}, poison(role_of_dx::dy));
  const owned own = c.over == role_of_dx::itself ? make(c.dx, c.shape, {}, {}, {}, output_poison) : nullptr;
  tensor& out = c.over == role_of_dx::itself ? *own : c.over == role_of_dx::y ? *in_y : *in_dy;
  const softmax_options o =
      softmax_options().axis(c.axis).exp(c.exponential).masked(c.masked).scale(c.scale).width(c.width);

  const std::uint64_t misses = counters().calls_missed;
  const status called = c.log ? log_softmax_backward(in_y->view(), in_dy->view(), out.view(), o)
                              : softmax_backward(in_y->view(), in_dy->view(), out.view(), o);
  if (!went_well(called, text(c))) return {};
  expect_specialized(misses, text(c));
  out.fetch();
  EXPECT_TRUE(out.only_elements_changed()) << "dx; " << text(c);
  for (tensor* t : {in_y.get(), in_dy.get()}) {
    if (t == &out) continue;
    t->fetch();
    EXPECT_TRUE(t->unchanged()) << "an input; " << text(c);
  }
  const std::vector<float> dx = out.read();
  const row_walk walk(c.shape, c.axis);
  const std::vector<float> stored_y = in_y->written(), stored_dy = in_dy->written();
  reference::gradient_terms terms;
  terms.scale = c.scale;
  terms.empty = c.masked ? reference::empty_rows::zero : reference::empty_rows::not_a_number;
  terms.exp = is_accurate(c.exponential, c.dx) ? reference::exponential::accurate : reference::exponential::fast;
  int failures = 0;
  for (std::size_t r = 0; r < walk.rows && failures < 3; ++r) {
    const auto row_y = walk.row<double>(stored_y, r), row_dy = walk.row<double>(stored_dy, r);
    const reference::expected want = c.log ? reference::log_softmax_backward(row_y, row_dy, terms)
                                           : reference::softmax_backward(row_y, row_dy, terms);
    const testing::AssertionResult ok = within(want, c.dx, walk.row<float>(dx, r));
    EXPECT_TRUE(ok) << "row " << r << " of " << walk.rows << "; " << text(c);
    failures += !ok;
  }
  return dx;
}

}  // namespace rowsmith::test
