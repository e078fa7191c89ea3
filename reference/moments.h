// moments: mean and biased variance of a set of elements, and what layer norm makes of them.
#pragma once

#include <span>

#include "reference/expected.h"

namespace rowsmith::reference {

// Whether the sum of squared deviations overflows fp32. `maybe`: the sum does and their mean does not; the contract
// leaves open which of the two a kernel forms.
enum class overflow { no, maybe, yes };

struct moments_of {
  bounded mean, variance;
  double offset = 0;  // mean - x[0]
  double range = 0;   // R = max |x - x[0]|
  overflow squares = overflow::no;

  double sigma() const;
};

// NaN for no elements, and with a NaN or an infinity among them. A variance that overflows is +inf.
moments_of moments(std::span<const double> x);

// The overflow of a sum of squares whose mean over n elements is `mean_square`.
overflow overflow_of(double mean_square, double n);

}  // namespace rowsmith::reference
