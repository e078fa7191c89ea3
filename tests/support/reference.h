// reference: the float64 references, and how a test says that a result fits one.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "reference/logits.h"
#include "reference/moments.h"
#include "reference/norm.h"
#include "reference/norm_backward.h"
#include "reference/rows.h"
#include "reference/softmax.h"

namespace rowsmith::reference {

// A kernel's results against what they must be: see `accepts`.
testing::AssertionResult within(const expected& want, dtype out, std::span<const float> got);
testing::AssertionResult within(const bounded& want, dtype out, float got);

// The stored row's sum against that of `want`: within the roundings of the elements and u L.
testing::AssertionResult sums_up(const softmax_row& want, dtype out, std::span<const float> got);

}  // namespace rowsmith::reference

namespace rowsmith::test::reference {

using namespace rowsmith::reference;

}  // namespace rowsmith::test::reference
