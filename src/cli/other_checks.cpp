// What moments, the ops that move rows, copies and elementwise mathematics must give.
#include "cli/row_checks.h"
#include "reference/expression.h"
#include "reference/moments.h"
#include "reference/rows.h"

namespace rowsmith::cli {

void check_moments(const call_tensors& c, std::int64_t row, verdict* v) {
  const reference::moments_of want = reference::moments(c.row("x", row));
  v->one("mean", row, want.mean);
  v->one("variance", row, want.variance);
}

void check_gather_rows(const call_tensors& c, std::int64_t row, verdict* v) {
  v->row("y", row, reference::exactly(c.row("x", row)));
}

void sum_gather_rows_backward(const call_tensors& c, verdict* v) {
  reference::reals dy;
  std::vector<std::int64_t> index;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const reference::reals values = c.row("dy", row);
    dy.insert(dy.end(), values.begin(), values.end());
    index.push_back(static_cast<std::int64_t>(c.one("index", row)));
  }
  v->all("dx", reference::gather_rows_backward(dy, static_cast<std::size_t>(c.width()), index,
                                               static_cast<std::size_t>(c.setup().table_rows)));
}

void check_copy(const call_tensors& c, std::int64_t row, verdict* v) {
  v->row("y", row, reference::exactly(c.row("x", row)));
}

void check_elementwise(const call_tensors& c, std::int64_t row, verdict* v) {
  const op_setup& s = c.setup();
  std::vector<reference::reals> inputs = {c.row("x", row)};
  for (int k = 1; k < s.compute->argument_count(); ++k) inputs.push_back(c.row("in" + std::to_string(k), row));
  const reference::reals params(std::begin(s.params), std::end(s.params));
  std::vector<reference::expected> want(static_cast<std::size_t>(s.compute->output_count()));
  reference::reals args(inputs.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.width()); ++i) {
    for (std::size_t k = 0; k < inputs.size(); ++k) args[k] = inputs[k][i];
    const std::vector<reference::bounded> outputs = reference::evaluate(*s.compute, args, params);
    for (std::size_t n = 0; n < want.size(); ++n) want[n].push_back(outputs[n]);
  }
  for (std::size_t n = 0; n < want.size(); ++n) v->row(n == 0 ? "y" : "out" + std::to_string(n), row, want[n]);
}

}  // namespace rowsmith::cli
