// Kahan's sum: one long chain of additions would lose more than the contract allows.
#pragma once

namespace rs {

struct kahan_sum {
  float sum = 0.0f;
  float lost = 0.0f;

  RS_MEMBER void add(float v) {
    const float term = v - lost;
    const float next = sum + term;
    const float off = (next - sum) - term;
    lost = off == off ? off : 0.0f;  // beyond the finite numbers nothing can be told
    sum = next;
  }
};

}  // namespace rs
