#include "reference/norm.h"

#include <algorithm>
#include <cmath>

#include "reference/moments.h"

namespace rowsmith::reference {

namespace {

// (normalized ± error) * w + b. A rounding of the normalized value may fall to either side of a tie within its error.
// `lost`: what products below 2^-126 take from the normalized value.
bounded apply(const affine& a, std::size_t i, double normalized, double reach, double lost, std::size_t width) {
  const double w = a.scale(i), b = a.shift(i), length = u * levels(width);
  if (!a.cast) {
    const double y = normalized * w + b;
    return {y, length * (std::fabs(w) * reach + std::fabs(y) + std::fabs(b)) + std::fabs(w) * lost + q};
  }
  const double error = length * (reach + std::fabs(normalized)) + lost, rounded = round_to(*a.cast, normalized);
  const double step =
      std::max(round_to(*a.cast, normalized + error) - rounded, rounded - round_to(*a.cast, normalized - error));
  const double y = rounded * w + b;
  return {y, std::fabs(w) * step + 4 * u * (std::fabs(y) + std::fabs(b)) + q, false, step != 0};
}

// y where a row may count as overflowed, or not. What is added to it later must not round the bias out of reach.
bounded or_bias(bounded y, double bias) { return {y.value, std::max(y.error, std::fabs(y.value - bias) * (1 + u)), false, true}; }

}  // namespace

double affine::scale(std::size_t i) const {
  if (weight.empty()) return 1;
  return one_plus_weight ? 1 + weight[i] : weight[i];
}

norm_row layer_norm(std::span<const double> x, double epsilon, const affine& a) {
  const moments_of m = moments(x);
  const double variance = m.variance.value, rstd = m.squares == overflow::yes ? 0 : 1 / std::sqrt(variance + epsilon);
  // The variance's error as a part of what stands under the root, halved by the root.
  const double part = 1 + m.range * m.sigma() / (2 * (variance + epsilon));
  norm_row row{expected(x.size()),
               m.mean,
               {rstd, rstd == 0 ? 0 : rstd * (u * levels(x.size()) * part + q / (variance + epsilon))}};
  if (m.squares == overflow::maybe) row.rstd = or_bias(row.rstd, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isnan(m.mean.value) && (m.range == 0 || m.squares == overflow::yes)) {
      row.y[i] = {a.shift(i)};
      continue;
    }
    row.y[i] = apply(a, i, (x[i] - x[0] - m.offset) * rstd, rstd * m.range, q * (1 + rstd), x.size());
    if (m.squares == overflow::maybe) row.y[i] = or_bias(row.y[i], a.shift(i));
  }
  return row;
}

norm_row rms_norm(std::span<const double> x, double epsilon, const affine& a) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  const double n = static_cast<double>(x.size()), mean = squares / n;
  const overflow over = overflow_of(mean, n);
  const double rstd = over == overflow::yes ? 0 : 1 / std::sqrt(mean + epsilon);
  norm_row row{expected(x.size()), {}, {rstd, rstd == 0 ? 0 : rstd * (u * levels(x.size()) + q / (mean + epsilon))}};
  if (over == overflow::maybe) row.rstd = or_bias(row.rstd, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    row.y[i] = apply(a, i, x[i] * rstd, 0, q, x.size());
    if (over == overflow::yes && std::isfinite(x[i])) row.y[i] = {a.shift(i)};
    if (over == overflow::maybe) row.y[i] = or_bias(row.y[i], a.shift(i));
  }
  return row;
}

residual_sum add_residual(std::span<const double> x, std::span<const double> r, dtype storage, round_residual how) {
  residual_sum sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double fp32 = round_to(dtype::f32, x[i] + r[i]);
    sum.stored.push_back(round_to(storage, fp32));
    sum.read.push_back(how == round_residual::storage ? sum.stored.back() : fp32);
  }
  return sum;
}

expected add_after(std::span<const double> r, const expected& y) {
  expected sum(y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    sum[i].value += r[i];
    // One more fp32 addition, whose rounding comes before the output's.
    sum[i].error += u * std::fabs(sum[i].value);
  }
  return sum;
}

}  // namespace rowsmith::reference
