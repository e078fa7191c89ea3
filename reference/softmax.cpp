#include "reference/softmax.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/element.h"

namespace rowsmith::reference {

namespace {

// One row under its maximum.
struct normalized {
  double top = -INFINITY;
  double sum = 0;  // of exp(z - top), at least 1
  bool empty = true, not_a_number = false;

  explicit normalized(std::span<const double> z) {
    for (const double v : z) {
      not_a_number = not_a_number || std::isnan(v) || v == INFINITY;
      if (v > top) top = v;
    }
    empty = !not_a_number && top == -INFINITY;
    if (empty || not_a_number) return;
    for (const double v : z) sum += std::exp(v - top);
  }

  // u (L + |lse| + 4 log sum): the sum's error, the addition's and the logarithm's.
  bounded lse(std::size_t width) const {
    if (not_a_number) return {NAN};
    if (empty) return {-INFINITY};
    const double value = top + std::log(sum);
    return {value, u * (levels(width) + std::fabs(value) + 4 * std::log(sum))};
  }
};

// What a fast exponential of s adds, in units of u: those of s and of s log2(e), as parts of the result.
double roundings(exponential e, double s, double result) {
  return e == exponential::accurate || result == 0 ? 0 : 2 * std::fabs(s) * std::numbers::log2e;
}

bounded of_no_row(const normalized& n, empty_rows how) {
  if (n.not_a_number || how == empty_rows::not_a_number) return {NAN};
  return {0, 0, true};
}

}  // namespace

softmax_row softmax(std::span<const double> logits, exponential e, empty_rows empty) {
  const normalized n(logits);
  softmax_row row{expected(logits.size()), n.lse(logits.size())};
  const double length = levels(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (n.empty || n.not_a_number) {
      row.y[i] = of_no_row(n, empty);
      continue;
    }
    const double s = logits[i] - n.top, y = std::exp(s) / n.sum;
    row.y[i] = {y, std::isinf(s) ? 0 : u * y * (length + roundings(e, s, y)) + least_normal, std::isinf(s)};
  }
  return row;
}

softmax_row log_softmax(std::span<const double> logits, empty_rows empty) {
  const normalized n(logits);
  softmax_row row{expected(logits.size()), n.lse(logits.size())};
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (n.empty || n.not_a_number) {
      row.y[i] = of_no_row(n, empty);
      continue;
    }
    const double y = logits[i] - n.top - std::log(n.sum);
    row.y[i] = {y, std::isinf(y) ? 0 : u * (levels(logits.size()) + 4 * std::fabs(y))};
  }
  return row;
}

namespace {

// Positions that take part in a gradient.
std::vector<bool> taking_part(std::span<const double> y, const gradient_terms& t, double removed) {
  std::vector<bool> takes(y.size(), true);
  if (!t.keep.empty()) takes = t.keep;
  if (t.empty == empty_rows::not_a_number) return takes;
  // In log space a row of more than one 0 is a row without keys: exponentials of a real one add up to 1.
  const bool none = y.size() > 1 && std::all_of(y.begin(), y.end(), [](double v) { return v == 0; });
  for (std::size_t i = 0; i < y.size(); ++i) takes[i] = takes[i] && !none && y[i] != removed;
  return takes;
}

// What the product by the scale loses below 2^-126.
double by_scale(const gradient_terms& t) { return t.scale == 1 ? 0 : q; }

}  // namespace

// dx = scale y (dy - sum(y dy)). Errors: u L times the sum of |terms|, and the products' that underflow.
expected softmax_backward(std::span<const double> y, std::span<const double> dy, const gradient_terms& t) {
  const std::vector<bool> takes = taking_part(y, t, 0);
  double dot = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (takes[i]) dot += y[i] * dy[i], size += std::fabs(y[i] * dy[i]);
  }
  const double underflow = least_normal * std::fabs(t.scale), n = static_cast<double>(y.size());
  expected dx(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!takes[i]) continue;
    const double terms = times(std::fabs(t.scale * y[i]), std::fabs(dy[i]) + size);
    dx[i] = {t.scale * y[i] * (dy[i] - dot),
             u * levels(y.size()) * terms + u * underflow * (1 + n * std::fabs(y[i])) + by_scale(t)};
  }
  return dx;
}

// dx = scale (dy - exp(y) sum(dy)). The exponential has softmax's errors.
expected log_softmax_backward(std::span<const double> y, std::span<const double> dy, const gradient_terms& t) {
  const std::vector<bool> takes = taking_part(y, t, -INFINITY);
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (takes[i]) sum += dy[i], size += std::fabs(dy[i]);
  }
  expected dx(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!takes[i]) continue;
    const double p = std::exp(y[i]), scale = std::fabs(t.scale);
    const double terms =
        levels(y.size()) * (std::fabs(dy[i]) + times(p, size)) + times(roundings(t.exp, y[i], p) * p, size);
    dx[i] = {t.scale * (dy[i] - p * sum), times(scale, u * terms + least_normal * (size + u)) + by_scale(t)};
  }
  return dx;
}

}  // namespace rowsmith::reference
