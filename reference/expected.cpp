#include "reference/expected.h"

#include <algorithm>
#include <cmath>

#include "reference/element.h"

namespace rowsmith::reference {

namespace {

// The first magnitude beyond the type's finite values.
double limit(dtype type) { return std::ldexp(1, type == dtype::f16 ? 16 : 128); }

}  // namespace

double levels(std::size_t n) { return 16 + 2 * std::log2(static_cast<double>(n > 0 ? n : 1)); }

double round_to(dtype type, double v) {
  if (!std::isfinite(v)) return v;
  const double unit = 2 * half_ulp(type, v);
  const double rounded = std::nearbyint(v / unit) * unit;  // both factors are exact: unit is a power of two
  return std::fabs(rounded) >= limit(type) ? std::copysign(INFINITY, v) : rounded;
}

expected exactly(std::span<const double> values) {
  expected all;
  all.reserve(values.size());
  for (const double v : values) all.push_back({v, 0, true});
  return all;
}

reals widened(std::span<const float> stored) { return {stored.begin(), stored.end()}; }

bool accepts(const bounded& want, dtype out, double got) {
  if (std::isinf(want.error) && !std::isfinite(want.value)) return !std::isfinite(got);
  if (std::isnan(want.value) || std::isnan(got)) return std::isnan(want.value) && std::isnan(got);
  if (std::isinf(want.error)) return true;
  if (want.signed_zero && got == 0 && std::signbit(got) != std::signbit(want.value)) return false;
  return round_to(out, want.value - want.error) <= got && got <= round_to(out, want.value + want.error);
}

double share_of_bound(const bounded& want, dtype out, double got) {
  if (accepts(want, out, got)) {
    const double allowed = half_ulp(out, want.value) + want.error, off = std::fabs(got - want.value);
    return std::isfinite(off) && off != 0 ? std::min(off / allowed, 1.0) : 0;
  }
  const double off = std::fabs(got - want.value);
  if (!std::isfinite(off) || off == 0) return INFINITY;
  const double edge =
      want.value < got ? round_to(out, want.value + want.error) : round_to(out, want.value - want.error);
  return std::max(off / std::max(std::fabs(edge - want.value), least_normal), std::nextafter(1.0, 2.0));
}

}  // namespace rowsmith::reference
