#include "reference/logits.h"

#include <cmath>

namespace rowsmith::reference {

namespace {

double to_fp32(double v) { return static_cast<float>(v); }

}  // namespace

reals logits(std::span<const double> x, const logit_terms& terms) {
  reals z(x.begin(), x.end());
  for (std::size_t i = 0; i < z.size(); ++i) {
    // float64 holds the product of two fp32 exactly. It may round their sum, and then 53 bits >= 2 * 24 + 2 make the
    // second rounding harmless (Figueroa, "When is double rounding innocuous?", 1995).
    if (terms.scale) z[i] = to_fp32(z[i] * *terms.scale);
    if (!terms.additive.empty()) z[i] = to_fp32(z[i] + terms.additive[i]);
    if (!terms.bias.empty()) z[i] = to_fp32(z[i] + terms.bias[i]);
    if (!terms.keep.empty() && !terms.keep[i]) z[i] = -INFINITY;
  }
  return z;
}

std::vector<bool> keep(std::span<const std::uint8_t> mask) {
  std::vector<bool> kept(mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i) kept[i] = mask[i] != 0;
  return kept;
}

std::vector<bool> drop(std::span<const std::uint8_t> mask) {
  std::vector<bool> kept = keep(mask);
  kept.flip();
  return kept;
}

std::vector<bool> causal(std::size_t width, std::int64_t row, std::int64_t offset) {
  std::vector<bool> kept(width);
  for (std::size_t i = 0; i < width; ++i) kept[i] = static_cast<std::int64_t>(i) <= row + offset;
  return kept;
}

}  // namespace rowsmith::reference
