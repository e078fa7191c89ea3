#include "cli/verdict.h"

#include "reference/expression.h"

namespace rowsmith::cli {

namespace {

void take(const reference::bounded& want, dtype type, double got, output_comparison* into) {
  const bool both_nan = std::isnan(want.value) && std::isnan(got);
  const bool same = both_nan || want.value == got;
  const double off = std::fabs(got - want.value);
  into->max_abs_err = std::max(into->max_abs_err, same ? 0 : std::isnan(off) ? INFINITY : off);
  into->worst_of_bound = std::max(into->worst_of_bound, reference::share_of_bound(want, type, got));
  into->compared = true;
}

void worse(double other, double* into) {
  if (!(other <= *into)) *into = std::isnan(*into) ? other : std::isnan(other) ? *into : std::max(*into, other);
}

}  // namespace

verdict::verdict(const call_tensors& c) : call_(c) {
  for (const tensor_setup& t : c.setup().tensors) {
    if (t.output) found_.outputs.push_back({t.role});
  }
}

output_comparison* verdict::find(std::string_view role) {
  for (output_comparison& o : found_.outputs) {
    if (o.role == role) return &o;
  }
  return nullptr;
}

void verdict::row(std::string_view role, std::int64_t row, const reference::expected& want) {
  output_comparison* into = find(role);
  if (into == nullptr) return;
  const reference::reals got = call_.row(role, row);
  const op_setup& s = call_.setup();
  const bool behind = s.post && role == s.main_output().role;
  std::vector<reference::reals> more;
  for (int k = 1; behind && k < s.post->argument_count(); ++k) more.push_back(call_.row("in" + std::to_string(k), row));
  const reference::reals params(std::begin(s.params), std::end(s.params));
  for (std::size_t i = 0; i < want.size(); ++i) {
    reference::bounded expected = want[i];
    if (behind) {
      std::vector<reference::bounded> args = {want[i]};
      for (const reference::reals& values : more) args.push_back({values[i]});
      expected = reference::evaluate(*s.post, args, params)[0];
    }
    take(expected, call_.type(role), got[i], into);
  }
}

void verdict::one(std::string_view role, std::int64_t row, const reference::bounded& want) {
  output_comparison* into = find(role);
  if (into != nullptr) take(want, call_.type(role), call_.one(role, row), into);
}

void verdict::all(std::string_view role, const reference::expected& want) {
  output_comparison* into = find(role);
  if (into == nullptr) return;
  const reference::reals got = call_.all(role);
  for (std::size_t i = 0; i < want.size(); ++i) take(want[i], call_.type(role), got[i], into);
}

void verdict::row_sum(double error) { worse(error, &found_.max_row_sum_err); }

void verdict::take_worse(const verdict& other) {
  for (std::size_t i = 0; i < found_.outputs.size(); ++i) {
    const output_comparison& o = other.found_.outputs[i];
    worse(o.max_abs_err, &found_.outputs[i].max_abs_err);
    worse(o.worst_of_bound, &found_.outputs[i].worst_of_bound);
    found_.outputs[i].compared = found_.outputs[i].compared || o.compared;
  }
  worse(other.found_.max_row_sum_err, &found_.max_row_sum_err);
}

}  // namespace rowsmith::cli
