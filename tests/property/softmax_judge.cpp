#include "property/around.h"
#include "property/judges.h"
#include "reference/logits.h"

namespace rowsmith::test {

namespace {

using reference::empty_rows;
using reference::exponential;

// An operand, where there is one.
struct side {
  std::vector<float> values;
  walk at;

  side(const trial& t, const char* role) {
    if (t.has(role)) values = t.given(role), at = t.where(role);
  }
  bool there() const { return !values.empty(); }
};

// Of each row: its index along the axis before the reduced one.
std::vector<std::int64_t> queries_of(const space& over) {
  std::size_t reduced = 0;
  while (!over.reduces(reduced)) ++reduced;
  std::size_t step = 1;
  for (std::size_t a = reduced + 1; a < over.shape.size(); ++a) step *= static_cast<std::size_t>(over.shape[a]);
  std::vector<std::int64_t> all(over.rows());
  for (std::size_t r = 0; r < all.size(); ++r) {
    all[r] = reduced == 0 ? 0 : static_cast<std::int64_t>(r / step) % over.shape[reduced - 1];
  }
  return all;
}

}  // namespace

void judge_softmax(const trial& t, verdict* v) {
  const kernel& k = t.of();
  const around expressions(t);
  const walk at_y = t.where("y"), at_x = t.where("x");
  const std::vector<float> x = t.given("x"), y = t.result("y");
  const side mask(t, "mask"), bias(t, "bias");
  const std::vector<std::int64_t> index = t.has("index") ? t.numbers("index") : std::vector<std::int64_t>();
  const std::string form = k.setting("mask");
  const std::vector<std::int64_t> queries = k.causal ? queries_of(t.over()) : std::vector<std::int64_t>();
  const std::size_t width = t.over().width();
  const dtype out = t.type_of("y");
  const empty_rows empty = k.masked ? empty_rows::zero : empty_rows::not_a_number;
  const char* bound = k.log ? "log_softmax (5)" : k.accurate ? "softmax, accurate (3)" : "softmax, fast (2)";
  const walk at_lse = t.has("lse") ? t.where("lse") : walk();
  const std::vector<float> lse = t.has("lse") ? t.result("lse") : std::vector<float>();
  const walk at_index = t.has("index") ? t.where("index") : walk();

  for (std::size_t r = 0; r < t.over().rows() && v->passed(); ++r) {
    reference::softmax_row want;
    std::size_t row_of_x = 0;
    bool found = true;
    if (!index.empty()) {
      const std::int64_t n = index[at_index.row[r]];
      found = n >= 0 && n < t.table_rows;
      row_of_x = found ? static_cast<std::size_t>(n) * width : 0;
    }
    if (found) {
      std::vector<double> row(width);
      for (std::size_t i = 0; i < width; ++i) row[i] = x[row_of_x + at_x.at(r, i)];
      expressions.before(r, &row);
      reference::logit_terms terms;
      if (k.scaled && t.scale != 1) terms.scale = t.scale;
      if (form == "additive") terms.additive = mask.at.values_of_row<double>(mask.values, r);
      if (bias.there()) terms.bias = bias.at.values_of_row<double>(bias.values, r);
      terms.keep.assign(width, true);
      for (std::size_t i = 0; i < width; ++i) {
        if (form == "keep") terms.keep[i] = mask.values[mask.at.at(r, i)] != 0;
        if (form == "drop") terms.keep[i] = mask.values[mask.at.at(r, i)] == 0;
        if (k.causal) terms.keep[i] = terms.keep[i] && static_cast<std::int64_t>(i) - queries[r] <= t.causal_offset;
      }
      const reference::reals z = reference::logits(row, terms);
      want = k.log ? reference::log_softmax(z, empty)
                   : reference::softmax(z, k.accurate ? exponential::accurate : exponential::fast, empty);
    } else {
      want = {reference::expected(width, reference::bounded{0, 0, true}), {-INFINITY}};
    }
    if (!lse.empty()) v->number("log-sum-exp (6)", want.lse, dtype::f32, lse[at_lse.row[r]], r, 0);
    const std::vector<float> got = at_y.values_of_row<float>(y, r);
    if (expressions.is_behind()) {
      expressions.behind(r, &want.y);
      for (std::size_t i = 0; i < width; ++i) v->number("behind a row op (16)", want.y[i], out, got[i], r, i);
      continue;
    }
    for (std::size_t i = 0; i < width; ++i) v->number(bound, want.y[i], out, got[i], r, i);
    if (!k.log) v->row_sum(want, out, got, r);
  }
}

void judge_softmax_backward(const trial& t, verdict* v) {
  const kernel& k = t.of();
  const walk at_y = t.where("y"), at_dy = t.where("dy"), at_dx = t.where("dx");
  const std::vector<float> y = t.given("y"), dy = t.given("dy"), dx = t.result("dx");
  reference::gradient_terms terms;
  terms.scale = t.scale;
  terms.empty = k.masked ? empty_rows::zero : empty_rows::not_a_number;
  terms.exp = k.accurate ? exponential::accurate : exponential::fast;
  const around expressions(t);
  const char* bound = expressions.is_behind() ? "behind a row op (16)"
                      : k.log                 ? "log-softmax gradient (13)"
                                              : "softmax gradient (12)";
  for (std::size_t r = 0; r < t.over().rows() && v->passed(); ++r) {
    auto row_y = at_y.values_of_row<double>(y, r);
    const auto row_dy = at_dy.values_of_row<double>(dy, r);
    expressions.before(r, &row_y);
    reference::expected want = k.log ? reference::log_softmax_backward(row_y, row_dy, terms)
                                     : reference::softmax_backward(row_y, row_dy, terms);
    expressions.behind(r, &want);
    for (std::size_t i = 0; i < want.size(); ++i) {
      v->number(bound, want[i], t.type_of("dx"), dx[at_dx.at(r, i)], r, i);
    }
  }
}

}  // namespace rowsmith::test
