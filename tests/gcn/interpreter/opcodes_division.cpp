// The three steps by which compilers divide exactly: scale, fused multiply-adds that undo the scale, fix-up of what is
// not an ordinary number.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

int exponent_of(float a) { return static_cast<int>(as_u32(a) >> 23 & 0xff); }
int exponent_of(double a) { return static_cast<int>(as_u64(a) >> 52 & 0x7ff); }
template <class T>
bool denormal(T a) {
  return a != 0 && std::fabs(a) < std::numeric_limits<T>::min();
}

template <class T>
struct limits;
template <>
struct limits<float> {
  static constexpr int far = 96, scale = 64, small = 23, bias = 127, lost = 150, top = 255;
};
template <>
struct limits<double> {
  static constexpr int far = 768, scale = 128, small = 53, bias = 1023, lost = 1075, top = 2047;
};

// `value` is either of the denominator and the numerator, scaled where the division would leave the range.
template <class T>
T scaled(T value, T denominator, T numerator, bool* scales) {
  using limit = limits<T>;
  *scales = false;
  if (numerator == 0 || denominator == 0) return std::numeric_limits<T>::quiet_NaN();
  const bool is_denominator = value == denominator, is_numerator = value == numerator;
  const T up = std::ldexp(value, limit::scale);
  if (exponent_of(numerator) - exponent_of(denominator) >= limit::far) {
    *scales = true;
    return is_denominator ? up : value;
  }
  if (denormal(denominator)) return up;
  const bool inverse = denormal(1 / denominator), quotient = denormal(numerator / denominator);
  if (inverse && quotient) {
    // The ISA document scales up here, which overflows for every such denominator; down is what divides right.
    *scales = true;
    return is_denominator ? std::ldexp(value, -limit::scale) : value;
  }
  if (inverse) return std::ldexp(value, -limit::scale);
  if (quotient) {
    *scales = true;
    return is_numerator ? up : value;
  }
  return exponent_of(numerator) <= limit::small ? up : value;
}

template <class T>
T fixed_up(T quotient, T denominator, T numerator) {
  using limit = limits<T>;
  const bool negative = std::signbit(denominator) != std::signbit(numerator);
  const T infinity = std::numeric_limits<T>::infinity();
  if (numerator != numerator) return numerator + numerator;
  if (denominator != denominator) return denominator + denominator;
  if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator))) {
    return -std::numeric_limits<T>::quiet_NaN();
  }
  if (denominator == 0 || std::isinf(numerator)) return negative ? -infinity : infinity;
  if (std::isinf(denominator) || numerator == 0) return negative ? T(-0.0) : T(0);
  if (exponent_of(numerator) - exponent_of(denominator) < -limit::lost) return negative ? T(-0.0) : T(0);
  return negative ? -std::fabs(quotient) : std::fabs(quotient);
}

template <class T>
T unscaled(T a, T b, T c, bool scaled) {
  const T r = std::fma(a, b, c);
  if (!scaled) return r;
  return std::ldexp(r, exponent_of(c) > limits<T>::bias ? limits<T>::scale : -limits<T>::scale);
}

void scale32(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0), b = e.f32(i, 1), c = e.f32(i, 2);
  u32* r = e.scratch();
  u64 scales = 0;
  for (int l = 0; l < k_lanes; ++l) {
    bool one;
    r[l] = as_u32(scaled(a.at[l], b.at[l], c.at[l], &one));
    scales |= u64{one} << l;
  }
  const u64 defined = a.defined & b.defined & c.defined;
  e.put_f32(i, r, defined);
  e.put_mask(i, 1, scales, defined);
}
void scale64(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0), b = e.f64(i, 1), c = e.f64(i, 2);
  lanes_of<double> r;
  u64 scales = 0;
  for (int l = 0; l < k_lanes; ++l) {
    bool one;
    r.at[l] = scaled(a.at[l], b.at[l], c.at[l], &one);
    scales |= u64{one} << l;
  }
  const u64 defined = a.defined & b.defined & c.defined;
  e.put_f64(i, r.at, defined);
  e.put_mask(i, 1, scales, defined);
}

// The parser gives v_div_fmas VCC as source 3.
void fmas32(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0), b = e.f32(i, 1), c = e.f32(i, 2);
  const scalar_value vcc = e.scalar64(i, 3);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = as_u32(unscaled(a.at[l], b.at[l], c.at[l], (vcc.bits >> l & 1) != 0)); });
  e.put_f32(i, r, a.defined & b.defined & c.defined & vcc.defined);
}
void fmas64(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0), b = e.f64(i, 1), c = e.f64(i, 2);
  const scalar_value vcc = e.scalar64(i, 3);
  lanes_of<double> r;
  each_lane([&](int l) { r.at[l] = unscaled(a.at[l], b.at[l], c.at[l], (vcc.bits >> l & 1) != 0); });
  e.put_f64(i, r.at, a.defined & b.defined & c.defined & vcc.defined);
}

}  // namespace

void add_division_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  const opcode group[] = {
      {"v_div_scale_f32", k, 2, scale32},
      {"v_div_fmas_f32", k, 1, fmas32},
      {"v_div_fixup_f32", k, 1, f32_op<3, [](float q, float d, float n) { return fixed_up(q, d, n); }>},
      {"v_div_fixup_f16", k, 1,
       f16_op<3,
              [](float q, float d, float n) {
                const float r = fixed_up(q, d, n);  // the exponents of halves never lie far enough apart to matter
                return r;
              },
              true>,
       literal::f16},
      {"v_div_scale_f64", k, 2, scale64, literal::f64},
      {"v_div_fmas_f64", k, 1, fmas64, literal::f64},
      {"v_div_fixup_f64", k, 1, f64_op<3, [](double q, double d, double n) { return fixed_up(q, d, n); }>,
       literal::f64},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
