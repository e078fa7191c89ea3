// Kahan's sum: one long chain of additions would lose more than the contract allows. An infinity or NaN stays what it is.
#pragma once

namespace rs {

struct compensated_sum {
  float total = 0.0f;
  float lost = 0.0f;

  RS_MEMBER void add(float v) {
    const float term = v - lost, next = total + term;
    const float error = (next - total) - term;
    lost = error == error ? error : 0.0f;
    total = next;
  }
};

}  // namespace rs
