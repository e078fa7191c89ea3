#include "support/reference.h"

#include <cmath>

#include "reference/element.h"

namespace rowsmith::reference {

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

testing::AssertionResult sums_up(const softmax_row& want, dtype out, std::span<const float> got) {
  double right = 0, sum = 0, allowed = u * levels(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want.y[i].value)) return testing::AssertionSuccess();
    right += want.y[i].value, sum += got[i], allowed += half_ulp(out, want.y[i].value);
  }
  if (std::fabs(sum - right) <= allowed) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "a row of " << got.size() << " sums to " << right << " + " << sum - right
                                     << ", allowed is ± " << allowed;
}

}  // namespace rowsmith::reference
