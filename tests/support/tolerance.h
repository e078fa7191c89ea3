// tolerance: what softmax has to give, in float64 from the stored inputs, and how far off it may be. The bounds are
// those of the numeric contract: every element within half an ulp of its type plus u |y| (L + 2 |t|) (fast exponential)
// or u |y| L (accurate), plus 2^-126; the sum of a row within the sum of the half ulps plus u L. u = 2^-24, L = 16 + 2
// log2(width), t = (x - max) log2(e).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "support/element.h"

namespace rowsmith::test {

struct softmax_reference {
  std::vector<double> y, bound;
  double sum_bound = 0;  // of the row's sum against 1
  bool not_a_number = false;

  softmax_reference(std::span<const float> x, dtype out, bool accurate) {
    double top = -INFINITY, sum = 0;
    for (const float v : x) {
      not_a_number = not_a_number || std::isnan(v) || v == INFINITY;
      top = std::max(top, static_cast<double>(v));
    }
    not_a_number = not_a_number || top == -INFINITY;
    if (not_a_number) return;
    y.reserve(x.size());
    bound.reserve(x.size());
    for (const float v : x) y.push_back(std::exp(v - top)), sum += y.back();
    const double u = std::ldexp(1, -24), length = 16 + 2 * std::log2(static_cast<double>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] /= sum;
      const double t = (x[i] - top) * 1.4426950408889634;
      const double terms = accurate || y[i] == 0 ? length : length + 2 * std::fabs(t);
      const double rounding = half_ulp(out, y[i]);
      bound.push_back(rounding + u * y[i] * terms + std::ldexp(1, -126));
      sum_bound += rounding;
    }
    sum_bound += u * length;
  }
};

// One row that a kernel gave, against its reference.
inline testing::AssertionResult within(const softmax_reference& want, std::span<const float> got) {
  double sum = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto at = [&] {
      return testing::AssertionFailure() << "element " << i << " of " << got.size() << " is " << got[i];
    };
    if (want.not_a_number) {
      if (!std::isnan(got[i])) return at() << ", expected NaN";
      continue;
    }
    if (!(std::fabs(got[i] - want.y[i]) <= want.bound[i])) {  // a NaN is not within
      return at() << ", expected " << want.y[i] << " within " << want.bound[i];
    }
    sum += got[i];
  }
  if (want.not_a_number || std::fabs(sum - 1) <= want.sum_bound) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "a row of " << got.size() << " sums to 1 + " << sum - 1 << ", allowed is ± "
                                     << want.sum_bound;
}

}  // namespace rowsmith::test
