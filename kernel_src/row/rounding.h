// Storage types as points of rounding in the middle of a computation.
#pragma once

namespace rs {

// x as storage type S holds it.
template <class S>
RS_DEVICE float round_to(float x) {
  return to_float(storage<S>::of(x));
}

}  // namespace rs
