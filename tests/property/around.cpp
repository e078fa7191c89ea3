#include "property/around.h"

#include <cmath>

#include "property/expressions.h"
#include "reference/expression.h"

namespace rowsmith::test {

namespace {

// What an fp32 can hold of it.
reference::bounded in_fp32(reference::bounded v) {
  const double low = reference::round_to(dtype::f32, v.value - v.error),
               high = reference::round_to(dtype::f32, v.value + v.error);
  if (std::isinf(low) && low == high) return {low, 0};
  if (std::isinf(low) || std::isinf(high)) v.error = INFINITY;
  return v;
}

}  // namespace

around::around(const trial& t) : trial_(t) {
  if (!t.of().fused()) return;
  for (const char* role : {"in1", "in2", "in3"}) {
    if (t.has(role)) more_.push_back({t.given(role), t.where(role)});
  }
}

void around::before(std::size_t r, std::vector<double>* row) const {
  if (!trial_.of().pre) return;
  float args[4] = {};
  for (std::size_t i = 0; i < row->size(); ++i) {
    args[0] = static_cast<float>((*row)[i]);
    for (std::size_t k = 0; k < more_.size(); ++k) args[k + 1] = more_[k].values[more_[k].at.at(r, i)];
    (*row)[i] = exact_value(*trial_.of().pre, args, trial_.params);
  }
}

void around::behind(std::size_t r, reference::expected* row) const {
  if (!trial_.of().post) return;
  const std::vector<double> params(std::begin(trial_.params), std::end(trial_.params));
  std::vector<reference::bounded> args(4);
  for (std::size_t i = 0; i < row->size(); ++i) {
    args[0] = in_fp32((*row)[i]);
    for (std::size_t k = 0; k < more_.size(); ++k) args[k + 1] = {more_[k].values[more_[k].at.at(r, i)]};
    (*row)[i] = reference::evaluate(*trial_.of().post, std::span<const reference::bounded>(args), params)[0];
  }
}

}  // namespace rowsmith::test
