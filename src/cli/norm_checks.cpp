// What the norms and their gradients must give.
#include <iterator>

#include "cli/row_checks.h"
#include "reference/norm.h"
#include "reference/norm_backward.h"

namespace rowsmith::cli {

namespace {

using norm = reference::norm_row (*)(std::span<const double>, double, const reference::affine&);
using gradients = reference::norm_gradients (*)(std::span<const double>, std::span<const double>, std::size_t,
                                                const reference::norm_backward_terms&);

bool one_plus(const op_setup& s) { return s.setting("weight") == "one_plus_weight"; }

reference::affine affine_of(const call_tensors& c, std::int64_t row) {
  reference::affine a;
  a.weight = c.row("weight", row);
  a.bias = c.row("bias", row);
  a.one_plus_weight = one_plus(c.setup());
  if (c.setup().setting("cast") == "cast_before_weight") a.cast = c.type("x");
  return a;
}

// Where every operand that a row is made of is missing from its table, the row is 0.
bool check_absent(const call_tensors& c, std::int64_t row, verdict* v) {
  if (c.is_there("x", row) || (c.has("residual") && c.is_there("residual", row))) return false;
  const reference::expected zeros(static_cast<std::size_t>(c.width()), {0});
  for (const char* role : {"y", "sum"}) v->row(role, row, zeros);
  for (const char* role : {"mean", "rstd"}) v->one(role, row, {0});
  return true;
}

void check(norm of, const call_tensors& c, std::int64_t row, verdict* v) {
  if (check_absent(c, row, v)) return;
  const op_setup& s = c.setup();
  const bool last = s.setting("residual") == "residual_last";
  reference::reals x = c.row("x", row);
  const reference::reals residual = c.row("residual", row);
  if (!residual.empty() && !last) {
    const auto how = s.setting("round_residual") == "keep_residual" ? reference::round_residual::fp32
                                                                    : reference::round_residual::storage;
    const dtype storage = c.has("sum") ? c.type("sum") : c.type("x");
    reference::residual_sum sum = reference::add_residual(x, residual, storage, how);
    v->row("sum", row, reference::exactly(sum.stored));
    x = std::move(sum.read);
  }
  reference::norm_row want = of(x, s.scalar("eps"), affine_of(c, row));
  if (!residual.empty() && last) want.y = reference::add_after(residual, want.y);
  v->row("y", row, want.y);
  v->one("mean", row, want.mean);
  v->one("rstd", row, want.rstd);
}

reference::norm_backward_terms terms_of(const call_tensors& c) {
  reference::norm_backward_terms t;
  t.epsilon = c.setup().scalar("eps");
  t.weight = c.all("weight");
  t.one_plus_weight = one_plus(c.setup());
  return t;
}

void check_dx(gradients of, const call_tensors& c, std::int64_t row, verdict* v) {
  reference::norm_backward_terms t = terms_of(c);
  t.extra = c.row("in1", row);
  v->row("dx", row, of(c.row("x", row), c.row("dy", row), static_cast<std::size_t>(c.width()), t).dx);
}

void sum_over_rows(gradients of, const call_tensors& c, verdict* v) {
  if (!c.has("dweight") && !c.has("dbias")) return;
  reference::reals x, dy;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    for (const auto& [from, into] : {std::pair{"x", &x}, std::pair{"dy", &dy}}) {
      const reference::reals values = c.row(from, row);
      into->insert(into->end(), values.begin(), values.end());
    }
  }
  const reference::norm_gradients want = of(x, dy, static_cast<std::size_t>(c.width()), terms_of(c));
  v->all("dweight", want.dweight);
  v->all("dbias", want.dbias);
}

}  // namespace

void check_layer_norm(const call_tensors& c, std::int64_t row, verdict* v) { check(reference::layer_norm, c, row, v); }
void check_rms_norm(const call_tensors& c, std::int64_t row, verdict* v) { check(reference::rms_norm, c, row, v); }

void check_layer_norm_backward(const call_tensors& c, std::int64_t row, verdict* v) {
  check_dx(reference::layer_norm_backward, c, row, v);
}
void check_rms_norm_backward(const call_tensors& c, std::int64_t row, verdict* v) {
  check_dx(reference::rms_norm_backward, c, row, v);
}
void sum_layer_norm_backward(const call_tensors& c, verdict* v) { sum_over_rows(reference::layer_norm_backward, c, v); }
void sum_rms_norm_backward(const call_tensors& c, verdict* v) { sum_over_rows(reference::rms_norm_backward, c, v); }

}  // namespace rowsmith::cli
