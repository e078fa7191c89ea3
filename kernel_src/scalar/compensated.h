// Kahan's sum: one long chain of additions would lose more than the contract allows. Beyond the finite
// numbers nothing is known of what was lost: an infinite sum stays one, and is not made a NaN by it.
#pragma once

#include "math/bits.h"

namespace rs {

struct compensated_sum {
  float total = 0.0f;
  float lost = 0.0f;

  RS_MEMBER void add(float v) {
    const float term = v - lost, next = total + term;
    lost = vabs(next) < infinity ? (next - total) - term : 0.0f;
    total = next;
  }
};

}  // namespace rs
