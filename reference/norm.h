// layer_norm and rms_norm of one row, with what surrounds them: a residual before or after, weight and bias.
#pragma once

#include <optional>
#include <span>

#include "reference/expected.h"

namespace rowsmith::reference {

struct affine {
  reals weight, bias;  // empty: none
  bool one_plus_weight = false;
  std::optional<dtype>
      cast;  // the normalized value is rounded to it before the multiplication; else only the output is

  double scale(std::size_t i) const;
  double shift(std::size_t i) const { return bias.empty() ? 0 : bias[i]; }
};

struct norm_row {
  expected y;
  bounded mean, rstd;  // mean: layer_norm's
};

// A constant row gives exactly the bias. A variance (mean square) that overflows fp32 gives rstd 0 and y = bias. A NaN
// or an infinity makes layer_norm's whole row NaN; rms_norm's row is NaN with a NaN, while an infinity is NaN where it
// stands and makes the other elements the bias (rstd is 0).
norm_row layer_norm(std::span<const double> x, double epsilon, const affine& a = {});
norm_row rms_norm(std::span<const double> x, double epsilon, const affine& a = {});

// x + r, once for the output and once for the norm: rounded to fp32, and to the storage type where it is stored.
enum class round_residual { storage, fp32 };
struct residual_sum {
  reals stored, read;  // read: what norm(x + r) is taken of
};
residual_sum add_residual(std::span<const double> x, std::span<const double> r, dtype storage, round_residual how);

// r + y for a normalized row y.
expected add_after(std::span<const double> r, const expected& y);

}  // namespace rowsmith::reference
