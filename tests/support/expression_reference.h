// expression_reference: what an expression gives, as a test asks for it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "model/expression/instruction.h"
#include "reference/expression.h"
#include "support/element.h"

namespace rowsmith::test {

using rowsmith::reference::bounded;
using rowsmith::reference::evaluate;
using rowsmith::reference::of_cast;

inline testing::AssertionResult agrees(const bounded& want, float got) {
  const bool special = !std::isfinite(want.value);
  if (std::isnan(want.value) ? std::isnan(got)
      : special              ? got == want.value
                             : std::fabs(got - want.value) <= want.error) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << got << ", expected " << want.value << " within " << want.error;
}

}  // namespace rowsmith::test
