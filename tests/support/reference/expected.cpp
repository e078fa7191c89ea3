#include "support/reference/expected.h"

#include <cmath>

#include "support/element.h"

namespace rowsmith::test::reference {

namespace {

// The first magnitude beyond the type's finite values.
double limit(dtype type) { return std::ldexp(1, type == dtype::f16 ? 16 : 128); }

bool accepts(const bounded& want, dtype out, double got) {
  if (std::isnan(want.value) || std::isnan(got)) return std::isnan(want.value) && std::isnan(got);
  if (std::isinf(want.error)) return true;
  if (want.signed_zero && got == 0 && std::signbit(got) != std::signbit(want.value)) return false;
  return round_to(out, want.value - want.error) <= got && got <= round_to(out, want.value + want.error);
}

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

testing::AssertionResult within(const bounded& want, dtype out, float got) {
  if (accepts(want, out, got)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << got << ", expected " << want.value << " within " << want.error
                                     << " before it is rounded";
}

testing::AssertionResult within(const expected& want, dtype out, std::span<const float> got) {
  if (want.size() != got.size()) {
    return testing::AssertionFailure() << got.size() << " elements, expected " << want.size();
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (testing::AssertionResult ok = within(want[i], out, got[i]); !ok) {
      return testing::AssertionFailure() << "element " << i << " of " << want.size() << ": " << ok.message();
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace rowsmith::test::reference
