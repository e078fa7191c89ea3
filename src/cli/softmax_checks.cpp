// What softmax, log_softmax and their gradients must give.
#include <cmath>
#include <limits>

#include "cli/row_checks.h"
#include "reference/logits.h"
#include "reference/softmax.h"

namespace rowsmith::cli {

namespace {

using reference::empty_rows;
using reference::exponential;

empty_rows empty(const call_tensors& c) {
  return c.setup().setting("mode") == "masked" ? empty_rows::zero : empty_rows::not_a_number;
}

// What was asked for, else what the output shows.
exponential exponential_of(const call_tensors& c) {
  for (const auto& [name, choice] : c.setup().settings) {
    if (name == "exp") return choice == "exp_accurate" ? exponential::accurate : exponential::fast;
  }
  return c.setup().main_output().type == dtype::f32 ? exponential::accurate : exponential::fast;
}

void remove(const std::vector<bool>& also, std::vector<bool>* keep) {
  if (keep->empty()) *keep = also;
  for (std::size_t i = 0; i < also.size(); ++i) (*keep)[i] = (*keep)[i] && also[i];
}

reference::reals logits_of(const call_tensors& c, std::int64_t row) {
  const op_setup& s = c.setup();
  reference::logit_terms terms;
  if (s.scalar("scale") != 1) terms.scale = s.scalar("scale");
  terms.bias = c.row("bias", row);
  const std::string form = s.setting("mask");
  const reference::reals mask = c.row("mask", row);
  if (form == "additive_mask") terms.additive = mask;
  if (form == "keep_mask" || form == "drop_mask") {
    std::vector<bool> keep(mask.size());
    for (std::size_t i = 0; i < mask.size(); ++i) keep[i] = (mask[i] != 0) == (form == "keep_mask");
    terms.keep = keep;
  }
  if (s.causal) {
    const std::int64_t query = c.coordinate(s.inner[0] - 1, row);
    remove(reference::causal(static_cast<std::size_t>(c.width()), query, *s.causal), &terms.keep);
  }
  return reference::logits(c.row("x", row), terms);
}

// A row that its table does not have is 0.
bool check_absent(const call_tensors& c, std::int64_t row, verdict* v) {
  if (c.is_there("x", row)) return false;
  v->row("y", row, reference::expected(static_cast<std::size_t>(c.width()), {0, 0, true}));
  v->one("lse", row, {-std::numeric_limits<double>::infinity()});
  return true;
}

}  // namespace

void check_softmax(const call_tensors& c, std::int64_t row, verdict* v) {
  if (check_absent(c, row, v)) return;
  const reference::softmax_row want = reference::softmax(logits_of(c, row), exponential_of(c), empty(c));
  v->row("y", row, want.y);
  v->one("lse", row, want.lse);
  if (c.setup().post || want.y.empty() || std::isnan(want.y[0].value)) return;
  double right = 0, sum = 0;
  for (const reference::bounded& b : want.y) right += b.value;
  for (const double got : c.row("y", row)) sum += got;
  v->row_sum(std::isnan(sum) ? std::numeric_limits<double>::infinity() : std::fabs(sum - right));
}

void check_log_softmax(const call_tensors& c, std::int64_t row, verdict* v) {
  if (check_absent(c, row, v)) return;
  const reference::softmax_row want = reference::log_softmax(logits_of(c, row), empty(c));
  v->row("y", row, want.y);
  v->one("lse", row, want.lse);
}

namespace {

reference::gradient_terms terms_of(const call_tensors& c) {
  reference::gradient_terms t;
  t.scale = c.setup().scalar("scale");
  t.empty = empty(c);
  t.exp = exponential_of(c);
  return t;
}

}  // namespace

void check_softmax_backward(const call_tensors& c, std::int64_t row, verdict* v) {
  v->row("dx", row, reference::softmax_backward(c.row("y", row), c.row("dy", row), terms_of(c)));
}

void check_log_softmax_backward(const call_tensors& c, std::int64_t row, verdict* v) {
  v->row("dx", row, reference::log_softmax_backward(c.row("y", row), c.row("dy", row), terms_of(c)));
}

}  // namespace rowsmith::cli
