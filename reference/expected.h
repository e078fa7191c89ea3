// expected: what an output has to be, computed in float64 from the stored inputs, and how far computing in fp32 may
// take it from there. The rounding of the output is not part of that: `accepts` adds it. docs/numerics.md derives the
// errors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rowsmith/tensor_view.h"

namespace rowsmith::reference {

struct bounded {
  double value = 0;
  double error = 0;          // infinite: any value but NaN; of a value that is not finite: any that is not
  bool signed_zero = false;  // a zero must have the sign of `value`
  bool either = false;       // the error is no rounding's: it reaches to another answer that is right, too
};
using expected = std::vector<bounded>;
using reals = std::vector<double>;

// Half the distance between 1 and the next fp32.
constexpr double u = 0x1p-24;

// Below it a product in fp32 is off by up to u times this, not u of itself.
constexpr double least_normal = 0x1p-126;
constexpr double q = u * least_normal;  // half the least subnormal number

// Of terms of an error: nothing times an infinity is nothing.
constexpr double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// L = 16 + 2 log2 n: the roundings, in units of u, that a result behind a sum of n terms may have seen.
double levels(std::size_t n);

// To the nearest value of the type, ties to even; overflow gives an infinity.
double round_to(dtype type, double v);

// Values that are copied: rounded to the output's type once, the sign of zero included.
expected exactly(std::span<const double> values);

// Stored inputs as doubles.
reals widened(std::span<const float> stored);

// May a kernel's result be `got`? Only the rounding, to the output's type, of a number within `error` of `value`: for
// finite outputs that is |got - value| <= h + error, with h half an ulp at the far end.
bool accepts(const bounded& want, dtype out, double got);

// How far off a result is as a part of what is allowed: above 1 where it is not accepted, infinite where one is a NaN
// or an infinity and the other is not, or where a zero has the wrong sign.
double share_of_bound(const bounded& want, dtype out, double got);

}  // namespace rowsmith::reference
