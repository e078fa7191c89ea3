#include "property/verdict.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "reference/element.h"
#include "reference/expression.h"

namespace rowsmith::test {

namespace {

std::string outside(const char* bound, const reference::bounded& want, float got, std::size_t r, std::size_t i) {
  std::ostringstream s;
  s.precision(9);
  s << bound << ": element " << i << " of row " << r << " is " << got << ", expected " << want.value << " within "
    << want.error;
  return s.str();
}

}  // namespace

void verdict::fail(std::string what) {
  if (what_.empty()) what_ = std::move(what);
}

double& verdict::nearest_of(const char* bound, dtype out) {
  if (last_ == nullptr || bound != last_bound_ || out != last_type_) {
    last_ = &nearest_[{bound, out}], last_bound_ = bound, last_type_ = out;
  }
  return *last_;
}

void verdict::number(const char* bound, const reference::bounded& want, dtype out, float got, std::size_t r,
                     std::size_t i) {
  if (std::isinf(want.error)) {
    if (!reference::accepts(want, out, got)) fail(outside(bound, want, got, r, i));
    ++left_open_;
    return;
  }
  const double off = std::fabs(got - want.value);
  if (off == 0 && !want.signed_zero) return;
  if (!reference::accepts(want, out, got)) return fail(outside(bound, want, got, r, i));
  if (!std::isfinite(off) || want.either) return;  // the infinity that was to come; no rounding
  double& nearest = nearest_of(bound, out);
  nearest = std::max(nearest, std::min(off / (reference::half_ulp(out, want.value) + want.error), 1.0));
}

void verdict::rounded_number(const char* bound, const reference::bounded& want, dtype out, float got, std::size_t r,
                             std::size_t i) {
  const reference::bounded stored = out == dtype::f32 ? want : reference::of_cast(want, out);
  if (std::isinf(stored.error)) {
    ++left_open_;
    return;
  }
  if (std::isnan(stored.value) ? std::isnan(got) : got == stored.value) return;
  const double off = std::fabs(got - stored.value);
  if (!std::isfinite(stored.value) || !(off <= stored.error)) return fail(outside(bound, stored, got, r, i));
  double& nearest = nearest_of(bound, out);
  nearest = std::max(nearest, off / stored.error);
}

void verdict::row_sum(const reference::softmax_row& want, dtype out, std::span<const float> got, std::size_t r) {
  double right = 0, sum = 0, allowed = reference::u * reference::levels(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want.y[i].value)) return;
    right += want.y[i].value, sum += got[i], allowed += reference::half_ulp(out, want.y[i].value);
  }
  const double off = std::fabs(sum - right);
  if (!(off <= allowed)) return fail(outside("row sum (4)", {right, allowed}, static_cast<float>(sum), r, 0));
  double& nearest = nearest_of("row sum (4)", out);
  nearest = std::max(nearest, off / allowed);
}

}  // namespace rowsmith::test
