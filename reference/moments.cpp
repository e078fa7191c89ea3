#include "reference/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rowsmith::reference {

double moments_of::sigma() const { return std::sqrt(variance.value); }

overflow overflow_of(double mean_square, double n) {
  constexpr double most = std::numeric_limits<float>::max();
  const double slack = 1 + u * levels(static_cast<std::size_t>(n));
  if (mean_square > most * slack) return overflow::yes;
  return mean_square * n * slack > most ? overflow::maybe : overflow::no;
}

// On x - x[0], as the kernels do: a large common part must not cost the reference its digits either.
moments_of moments(std::span<const double> x) {
  moments_of m{{NAN}, {NAN}};
  if (x.empty() || !std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) return m;
  const double n = static_cast<double>(x.size());
  double sum = 0, squares = 0;
  for (const double v : x) sum += v - x[0], m.range = std::max(m.range, std::fabs(v - x[0]));
  m.offset = sum / n;
  for (const double v : x) squares += (v - x[0] - m.offset) * (v - x[0] - m.offset);
  const double length = levels(x.size());
  m.mean = {x[0] + m.offset, u * length * m.range + u * std::fabs(x[0] + m.offset)};
  if (m.range > 0) m.mean.error += q * length;  // the quotient, or the mean of each part, below 2^-126
  const double variance = squares / n;
  m.squares = overflow_of(variance, n);
  m.variance = {variance, u * length * (variance + m.range * std::sqrt(variance))};
  if (m.range > 0) m.variance.error += 2 * q;  // the squares of deviations below 2^-63, and their mean
  if (m.squares == overflow::maybe) m.variance.error = INFINITY;
  return m;
}

}  // namespace rowsmith::reference
