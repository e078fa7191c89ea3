#include "support/norm_check.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <sstream>

#include "rowsmith/call.h"
#include "rowsmith/explain.h"
#include "support/index_tensor.h"
#include "support/reference.h"
#include "support/values.h"

namespace rowsmith::test {

namespace {

using reference::reals;
using tensor_ptr = std::unique_ptr<tensor>;

std::string text(const dims& d) {
  std::ostringstream s;
  for (std::size_t i = 0; i < d.size(); ++i) s << (i == 0 ? "" : "x") << d[i];
  return s.str();
}

std::string text(const norm_call& c) {
  std::ostringstream s;
  s << (c.add ? "add_" : "") << (c.kind == norm_kind::layer ? "layer_norm " : "rms_norm ") << name_of(c.x) << " to "
    << name_of(c.y) << ", " << text(c.shape) << " over " << c.trailing << ", weights " << name_of(c.weights) << " "
    << !c.weight.empty() << !c.bias.empty() << ", place " << static_cast<int>(c.place) << ", rows " << c.rows.size();
  return s.str();
}

std::int64_t last_extents(const dims& shape, int trailing) {
  return std::accumulate(shape.end() - trailing, shape.end(), std::int64_t{1}, std::multiplies<>());
}
std::int64_t other_extents(const dims& shape, int trailing) {
  return std::accumulate(shape.begin(), shape.end() - trailing, std::int64_t{1}, std::multiplies<>());
}
dims trailing_shape(const dims& shape, int trailing) { return {shape.end() - trailing, shape.end()}; }
dims table_shape(const dims& shape, int trailing, std::int64_t rows) {
  dims t = trailing_shape(shape, trailing);
  t.insert(t.begin(), rows);
  return t;
}
// The shape without the trailing axes; a row alone has one element all the same.
dims row_shape(const dims& shape, int trailing) {
  dims s(shape.begin(), shape.end() - trailing);
  if (s.empty()) s.assign(shape.size(), 1);
  return s;
}

tensor_ptr input(dtype type, const dims& shape, const std::vector<float>& values, const dims& stride = {},
                 placement at = {}, unsigned char poison = input_poison) {
  auto t = std::make_unique<tensor>(under_test().where, type, shape, stride, at, poison);
  if (!values.empty() && count(shape) != 0) t->write(values);
  return t;
}
tensor_ptr output(dtype type, const dims& shape, const dims& stride = {}, placement at = {}) {
  return std::make_unique<tensor>(under_test().where, type, shape, stride, at, output_poison);
}

// Row `r` of what was stored, or zeros where the index finds none.
reals row_of(const std::vector<float>& stored, std::size_t width, std::size_t r,
             const std::vector<std::int64_t>& index) {
  std::int64_t at = static_cast<std::int64_t>(r);
  if (!index.empty()) {
    at = index[r];
    if (at < 0 || (at + 1) * static_cast<std::int64_t>(width) > static_cast<std::int64_t>(stored.size())) {
      return reals(width, 0.0);
    }
  }
  const auto first = stored.begin() + at * static_cast<std::int64_t>(width);
  return reals(first, first + static_cast<std::ptrdiff_t>(width));
}
bool finds(const std::vector<std::int64_t>& index, std::size_t r, std::int64_t rows) {
  return index.empty() || (index[r] >= 0 && index[r] < rows);
}

struct stored_inputs {
  std::vector<float> x, residual, weight, bias;
};

// What one row has to be.
struct wanted_row {
  reference::norm_row norm;
  reals sum;
};
wanted_row wanted(const norm_call& c, const stored_inputs& in, std::size_t r) {
  const auto width = static_cast<std::size_t>(c.width());
  reference::affine a;
  a.weight = reference::widened(in.weight);
  a.bias = reference::widened(in.bias);
  a.one_plus_weight = c.options.weight_as == weight_form::one_plus;
  if (c.options.cast_at == norm_cast::before_weight && c.x != dtype::f32) a.cast = c.x;
  const auto norm = c.kind == norm_kind::layer ? reference::layer_norm : reference::rms_norm;
  const reals x = row_of(in.x, width, r, c.rows);
  const bool found = finds(c.rows, r, c.table_rows);
  const auto zeros = [&] { return reference::norm_row{reference::expected(width), {}, {}}; };
  if (!c.add) return {found ? norm(x, c.options.epsilon, a) : zeros(), {}};

  const reals residual = row_of(in.residual, width, r, c.residual_rows);
  if (c.options.order == residual_order::last) {
    reference::norm_row n = found ? norm(x, c.options.epsilon, a) : zeros();
    n.y = reference::add_after(residual, n.y);
    return {n, {}};
  }
  const auto how = c.options.rounding == residual_rounding::storage ? reference::round_residual::storage
                                                                    : reference::round_residual::fp32;
  const reference::residual_sum sum = reference::add_residual(x, residual, c.sum.value_or(c.x), how);
  const bool any = found || finds(c.residual_rows, r, c.table_rows);
  return {any ? norm(sum.read, c.options.epsilon, a) : zeros(), sum.stored};
}

void compare(const norm_call& c, const stored_inputs& in, const norm_outcome& got) {
  const auto width = static_cast<std::size_t>(c.width());
  int failures = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(c.row_count()) && failures < 3; ++r) {
    const wanted_row want = wanted(c, in, r);
    const auto row = [&](const std::vector<float>& all) { return std::span(all).subspan(r * width, width); };
    const auto check = [&](const char* what, const testing::AssertionResult& ok) {
      EXPECT_TRUE(ok) << what << " of row " << r << "; " << text(c);
      failures += !ok;
    };
    check("y", reference::within(want.norm.y, c.y, row(got.y)));
    if (!got.sum.empty()) check("sum", reference::within(reference::exactly(want.sum), *c.sum, row(got.sum)));
    if (!got.mean.empty()) check("mean", reference::within(want.norm.mean, c.statistics, got.mean[r]));
    if (!got.rstd.empty()) check("rstd", reference::within(want.norm.rstd, c.statistics, got.rstd[r]));
  }
}

// The call answered, by the kernel that this program is to test.
bool answered(const status& called, std::uint64_t misses, const std::string& call) {
  const status done = synchronize(under_test().where, {});
  EXPECT_TRUE(called.ok() && done.ok()) << called.to_string() << called.detail() << done.to_string() << "; " << call;
  if (counters().calls_missed != misses) {
    const call_trace trace = last_cold_call();
    if (under_test().scalar) {
      EXPECT_TRUE(is_fallback(trace)) << trace.strategy << " from " << trace.source << "; " << call;
    }
  }
  return called.ok() && done.ok();
}

std::vector<float> fetched(tensor* t, const char* what, const std::string& call) {
  t->fetch();
  EXPECT_TRUE(t->only_elements_changed()) << what << "; " << call;
  return t->read();
}

}  // namespace

std::int64_t norm_call::width() const { return last_extents(shape, trailing); }
std::int64_t norm_call::row_count() const { return other_extents(shape, trailing); }

norm_outcome check_norm(const norm_call& c, const std::vector<float>& x, const std::vector<float>& residual) {
  const bool x_is_written = c.place == in_place::y_is_x || c.place == in_place::sum_is_x;
  const bool residual_is_written = c.place == in_place::y_is_residual || c.place == in_place::sum_is_residual;
  const dims of_table = table_shape(c.shape, c.trailing, c.table_rows), per_row = row_shape(c.shape, c.trailing),
             columns = trailing_shape(c.shape, c.trailing);
  const tensor_ptr in = input(c.x, c.rows.empty() ? c.shape : of_table, x, c.x_stride, c.x_at,
                              x_is_written ? output_poison : input_poison);
  const tensor_ptr weight = input(c.weights, columns, c.weight, {}, c.weight_at),
                   bias = input(c.weights, columns, c.bias, {}, c.weight_at), mean = output(c.statistics, per_row),
                   rstd = output(c.statistics, per_row);
  tensor_ptr res, y, sum;
  if (c.add) {
    res = input(c.residual, c.residual_rows.empty() ? c.shape : of_table, residual, {}, c.x_at,
                residual_is_written ? output_poison : input_poison);
  }
  tensor* out = c.place == in_place::y_is_x ? in.get() : c.place == in_place::y_is_residual ? res.get() : nullptr;
  if (out == nullptr) y = output(c.y, c.shape, c.y_stride, c.y_at), out = y.get();
  tensor* out_sum = c.place == in_place::sum_is_x          ? in.get()
                    : c.place == in_place::sum_is_residual ? res.get()
                                                           : nullptr;
  if (out_sum == nullptr && c.sum) sum = output(*c.sum, c.shape), out_sum = sum.get();

  norm_inputs more;
  if (!c.weight.empty()) more.weight(weight->view());
  if (!c.bias.empty()) more.bias(bias->view());
  if (c.mean) more.mean(mean->view());
  if (c.rstd) more.rstd(rstd->view());
  if (out_sum != nullptr) more.sum(out_sum->view());
  const dims index_shape = row_shape(c.shape, c.trailing);
  const index_tensor rows(under_test().where, c.index, index_shape, c.rows),
      residual_rows(under_test().where, c.index, index_shape, c.residual_rows);
  if (!c.rows.empty()) more.rows(rows.view());
  if (!c.residual_rows.empty()) more.residual_rows(residual_rows.view());

  const auto gather = [&] {
    op_call named(c.kind == norm_kind::layer ? "norm_gather" : "rms_norm_gather");
    named.operand("x", in->view()).operand("index", rows.view()).operand("y", out->view()).axis(c.trailing);
    if (!c.weight.empty()) named.operand("weight", weight->view());
    if (!c.bias.empty()) named.operand("bias", bias->view());
    if (c.mean) named.operand("mean", mean->view());
    if (c.rstd) named.operand("rstd", rstd->view());
    return named.scalar("eps", c.options.epsilon).run();
  };
  const norm_options options = norm_options(c.options).trailing(c.trailing);
  const std::uint64_t misses = counters().calls_missed;
  const status called = c.by_name ? gather()
                        : c.add   ? (c.kind == norm_kind::layer ? add_layer_norm : add_rms_norm)(
                                      in->view(), res->view(), out->view(), more, options, {})
                        : c.kind == norm_kind::layer ? layer_norm(in->view(), out->view(), more, options)
                                                     : rms_norm(in->view(), out->view(), more, options);
  const std::string call = text(c);
  if (!answered(called, misses, call)) return {};

  norm_outcome got;
  got.y = fetched(out, "y", call);
  got.bits = out->bits();
  if (c.mean) got.mean = fetched(mean.get(), "mean", call);
  if (c.rstd) got.rstd = fetched(rstd.get(), "rstd", call);
  if (out_sum != nullptr) got.sum = fetched(out_sum, "sum", call);
  if (!x_is_written) {
    in->fetch();
    EXPECT_TRUE(in->unchanged()) << "x; " << call;
  }
  if (c.add && !residual_is_written) {
    res->fetch();
    EXPECT_TRUE(res->unchanged()) << "residual; " << call;
  }
  if (count(c.shape) != 0) {
    compare(c,
            {in->written(), c.add ? res->written() : std::vector<float>(),
             c.weight.empty() ? std::vector<float>() : weight->written(),
             c.bias.empty() ? std::vector<float>() : bias->written()},
            got);
  }
  return got;
}

norm_backward_outcome check_norm_backward(const norm_backward_call& c, const std::vector<float>& x,
                                          const std::vector<float>& dy) {
  const auto width = static_cast<std::size_t>(last_extents(c.shape, c.trailing));
  const dims columns = trailing_shape(c.shape, c.trailing);
  const bool empty = count(c.shape) == 0;
  const tensor_ptr in = input(c.x, c.shape, x, c.x_stride, {}, c.dx_is_x ? output_poison : input_poison),
                   in_dy = input(c.dy, c.shape, dy, c.dy_stride, {}, c.dx_is_dy ? output_poison : input_poison),
                   weight = input(c.weights, columns, c.weight),
                   dsum = input(c.dx, c.shape, normal(empty ? 1 : count(c.shape), 1, 77)),
                   own_dx = output(c.dx, c.shape), dweight = output(c.weights, columns),
                   dbias = output(c.weights, columns);
  tensor* dx = c.dx_is_x ? in.get() : c.dx_is_dy ? in_dy.get() : own_dx.get();

  norm_gradients g;
  if (c.wants_dx) g.dx(dx->view());
  if (c.wants_dweight) g.dweight(dweight->view());
  if (c.wants_dbias) g.dbias(dbias->view());
  if (!c.weight.empty()) g.weight(weight->view());
  if (c.dsum) g.dsum(dsum->view());
  const auto backward = c.kind == norm_kind::layer ? layer_norm_backward : rms_norm_backward;
  const std::uint64_t misses = counters().calls_missed;
  std::ostringstream call;
  call << (c.kind == norm_kind::layer ? "layer" : "rms") << " backward " << name_of(c.x) << " " << text(c.shape)
       << " over " << c.trailing;
  if (!answered(backward(in->view(), in_dy->view(), g, norm_options(c.options).trailing(c.trailing), {}), misses,
                call.str()))
    return {};

  norm_backward_outcome got;
  const auto take = [&](bool wanted, tensor* t, const char* what, std::vector<float>* to) {
    if (!wanted) return;
    *to = fetched(t, what, call.str());
    const auto bits = t->bits();
    got.bits.insert(got.bits.end(), bits.begin(), bits.end());
  };
  take(c.wants_dx && !empty, dx, "dx", &got.dx);
  take(c.wants_dweight, dweight.get(), "dweight", &got.dweight);
  take(c.wants_dbias, dbias.get(), "dbias", &got.dbias);

  reference::norm_backward_terms terms;
  terms.epsilon = c.options.epsilon;
  if (!c.weight.empty()) terms.weight = reference::widened(weight->written());
  terms.one_plus_weight = c.options.weight_as == weight_form::one_plus;
  if (c.dsum && !empty) terms.extra = reference::widened(dsum->written());
  const auto x64 = reference::widened(empty ? std::vector<float>() : in->written());
  const auto dy64 = reference::widened(empty ? std::vector<float>() : in_dy->written());
  const auto want = (c.kind == norm_kind::layer ? reference::layer_norm_backward : reference::rms_norm_backward)(
      x64, dy64, width, terms);
  if (c.wants_dx && !empty) {
    EXPECT_TRUE(reference::within(want.dx, c.dx, got.dx)) << "dx; " << call.str();
  }
  if (c.wants_dweight) {
    EXPECT_TRUE(reference::within(want.dweight, c.weights, got.dweight)) << "dweight; " << call.str();
  }
  if (c.wants_dbias) {
    EXPECT_TRUE(reference::within(want.dbias, c.weights, got.dbias)) << "dbias; " << call.str();
  }
  return got;
}

}  // namespace rowsmith::test
