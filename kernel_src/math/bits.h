// What the elementwise functions share. T is a float on every machine, and also a native vector on the host.
//
// Polynomials here are minimax: their coefficients come from a Remez exchange in 50 digits, for the function and the
// weight (relative error of the result) that each place names, and are then rounded to floats.
#pragma once

namespace rs {

inline constexpr float infinity = __builtin_bit_cast(float, 0x7f800000u);

// ln 2 and log2 e, each as a float and what that leaves out.
inline constexpr float ln2_high = 0x1.62e43p-1f, ln2_low = -0x1.05c61p-29f;
inline constexpr float log2e_high = 0x1.715476p+0f, log2e_low = 0x1.4ae0cp-26f;

// The constant in every element. (T{} + c would lose the sign of -0.)
template <class T>
RS_DEVICE T fill(float c) {
  return c - T{};
}

template <class T>
RS_DEVICE T not_a_number() {
  return fill<T>(as_float(0x7fc00000u));
}

// `magnitude`, which is not negative, under the sign of `sign`.
template <class T>
RS_DEVICE T with_sign(T magnitude, T sign) {
  return as_float(as_bits(magnitude) | (as_bits(sign) & 0x80000000u));
}

// first + x·(second + x·(...)) by Horner's rule.
template <class T>
RS_DEVICE T polynomial(T, float last) {
  return fill<T>(last);
}
template <class T, class... C>
RS_DEVICE T polynomial(T x, float first, C... rest) {
  return multiply_add(polynomial(x, rest...), x, fill<T>(first));
}

}  // namespace rs
