// The reductions of a row: an associative function of two values and its identity. T is a float on a GPU and a native
// vector (or a float) on the host, so that one text serves both.
#pragma once

namespace rs {

inline constexpr float minus_infinity = __builtin_bit_cast(float, 0xff800000u);

// Drops NaN where the machine's maximum does: whoever needs NaN to survive carries it in a sum.
struct max_of {
  static constexpr float identity = minus_infinity;
  static constexpr bool is_max = true;
  template <class T>
  static RS_MEMBER T of(T a, T b) {
    return vmax(a, b);
  }
};

struct sum_of {
  static constexpr float identity = 0.0f;
  static constexpr bool is_max = false;
  template <class T>
  static RS_MEMBER T of(T a, T b) {
    return a + b;
  }
};

}  // namespace rs
