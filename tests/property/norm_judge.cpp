#include "property/around.h"
#include "property/judges.h"
#include "reference/norm.h"
#include "reference/norm_backward.h"

namespace rowsmith::test {

namespace {

using reference::reals;

// An input whose rows may be picked by an index.
class rows {
 public:
  rows(const trial& t, const char* role, const char* index) : width_(t.over().width()), table_rows_(t.table_rows) {
    if (!t.has(role)) return;
    values_ = t.given(role), at_ = t.where(role);
    picked_ = t.of().find(role)->shape == extent::table;
    if (picked_) index_ = t.numbers(index), at_index_ = t.where(index);
  }

  bool found(std::size_t r) const {
    return !picked_ || (index_[at_index_.row[r]] >= 0 && index_[at_index_.row[r]] < table_rows_);
  }
  // Zeros where there is none.
  reals row(std::size_t r) const {
    if (!found(r)) return reals(width_, 0.0);
    const std::size_t base = picked_ ? static_cast<std::size_t>(index_[at_index_.row[r]]) * width_ : 0;
    reals all(width_);
    for (std::size_t i = 0; i < width_; ++i) all[i] = values_[base + at_.at(r, i)];
    return all;
  }

 private:
  std::size_t width_;
  std::int64_t table_rows_;
  std::vector<float> values_;
  walk at_, at_index_;
  bool picked_ = false;
  std::vector<std::int64_t> index_;
};

reals columns(const trial& t, const char* role) {
  if (!t.has(role)) return {};
  const std::vector<float> values = t.given(role);
  const walk at = t.where(role);
  reals all;
  for (const std::size_t column : at.column) all.push_back(values[column]);
  return all;
}

// One result, as a row at a time.
struct output {
  std::vector<float> values;
  walk at;
  dtype type = dtype::f32;

  output(const trial& t, const char* role) {
    if (t.has(role)) values = t.result(role), at = t.where(role), type = t.type_of(role);
  }
  explicit operator bool() const { return !values.empty(); }
};

}  // namespace

void judge_norm(const trial& t, verdict* v) {
  const kernel& k = t.of();
  const around expressions(t);
  const bool adds = t.has("residual");
  const rows x(t, "x", "index"), residual(t, "residual", "index2");
  const output y(t, "y"), sum(t, "sum"), mean(t, "mean"), rstd(t, "rstd");
  reference::affine a;
  a.weight = columns(t, "weight"), a.bias = columns(t, "bias");
  a.one_plus_weight = k.one_plus;
  if (k.cast_before && t.type_of("x") != dtype::f32) a.cast = t.type_of("x");
  const auto norm = k.centered ? reference::layer_norm : reference::rms_norm;
  const std::size_t width = t.over().width();
  const char* bound = a.cast ? "rounding before the weight (11)" : k.centered ? "layer norm (10)" : "RMS norm (10)";
  const dtype storage = t.has("sum") ? t.type_of("sum") : t.type_of("x");

  for (std::size_t r = 0; r < t.over().rows() && v->passed(); ++r) {
    reals row = x.row(r);
    expressions.before(r, &row);
    bool found = x.found(r);
    reals stored;
    if (adds && !k.residual_last) {
      const auto how = k.fp32_residual ? reference::round_residual::fp32 : reference::round_residual::storage;
      reference::residual_sum added = reference::add_residual(row, residual.row(r), storage, how);
      row = std::move(added.read), stored = std::move(added.stored);
      found = found || residual.found(r);
    }
    reference::norm_row want =
        found ? norm(row, t.epsilon, a) : reference::norm_row{reference::expected(width), {}, {}};
    if (adds && k.residual_last) want.y = reference::add_after(residual.row(r), want.y);
    expressions.behind(r, &want.y);
    const char* of_y = expressions.is_behind() ? "behind a row op (16)" : bound;
    for (std::size_t i = 0; i < width; ++i) {
      v->number(of_y, want.y[i], y.type, y.values[y.at.at(r, i)], r, i);
      if (sum) v->number("sum", {stored[i], 0, true}, sum.type, sum.values[sum.at.at(r, i)], r, i);
    }
    if (mean) v->number("mean (7)", want.mean, mean.type, mean.values[mean.at.row[r]], r, 0);
    if (rstd) v->number("rstd (9)", want.rstd, rstd.type, rstd.values[rstd.at.row[r]], r, 0);
  }
}

void judge_norm_backward(const trial& t, verdict* v) {
  const kernel& k = t.of();
  const std::size_t width = t.over().width(), all_rows = t.over().rows();
  const around expressions(t);
  const rows x(t, "x", ""), dy(t, "dy", ""), extra(t, "sum", "");
  reals dense_x, dense_dy;
  reference::norm_backward_terms terms;
  for (std::size_t r = 0; r < all_rows; ++r) {
    for (const auto& [from, to] : {std::pair(&x, &dense_x), std::pair(&dy, &dense_dy)}) {
      reals row = from->row(r);
      if (from == &x) expressions.before(r, &row);
      to->insert(to->end(), row.begin(), row.end());
    }
    if (!t.has("sum")) continue;
    const reals row = extra.row(r);
    terms.extra.insert(terms.extra.end(), row.begin(), row.end());
  }
  terms.epsilon = t.epsilon;
  terms.weight = columns(t, "weight");
  terms.one_plus_weight = k.one_plus;
  const auto want =
      (k.centered ? reference::layer_norm_backward : reference::rms_norm_backward)(dense_x, dense_dy, width, terms);
  const char* bound = k.centered ? "layer norm gradient (14)" : "RMS norm gradient (14)";
  if (const output dx(t, "dx"); dx) {
    for (std::size_t r = 0; r < all_rows; ++r) {
      for (std::size_t i = 0; i < width; ++i) {
        v->number(bound, want.dx[r * width + i], dx.type, dx.values[dx.at.at(r, i)], r, i);
      }
    }
  }
  for (const auto& [role, sums] : {std::pair("dweight", &want.dweight), std::pair("dbias", &want.dbias)}) {
    const output out(t, role);
    if (!out) continue;
    for (std::size_t i = 0; i < width; ++i) {
      v->number("weight and bias gradients (15)", (*sums)[i], out.type, out.values[out.at.column[i]], 0, i);
    }
  }
}

}  // namespace rowsmith::test
