// Sums of any length in one chain: Kahan's compensation.
#pragma once

#include "math/bits.h"

namespace rs {

struct compensated {
  float sum = 0.0f;
  float too_much = 0.0f;

  RS_MEMBER void add(float v) {
    const float term = v - too_much;
    const float now = sum + term;
    // Of an infinite sum nothing is known any more, and inf - inf must not spoil it.
    too_much = vabs(now) < infinity ? (now - sum) - term : 0.0f;
    sum = now;
  }
};

}  // namespace rs
