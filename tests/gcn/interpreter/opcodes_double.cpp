// Vector arithmetic of doubles, in pairs of registers.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

void ldexp(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0);
  const lanes32 by = e.raw(i, 1);
  lanes_of<double> r;
  each_lane([&](int l) { r.at[l] = std::ldexp(a.at[l], static_cast<i32>(by.at[l])); });
  e.put_f64(i, r.at, a.defined & by.defined());
}

void exponent(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) {
    int exponent = 0;
    if (std::isfinite(a.at[l])) std::frexp(a.at[l], &exponent);
    r[l] = static_cast<u32>(exponent);
  });
  e.put(i, r, a.defined);
}

}  // namespace

void add_double_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  constexpr literal f64 = literal::f64;
  const opcode group[] = {
      {"v_add_f64", k, 1, f64_op<2, [](double a, double b) { return a + b; }>, f64},
      {"v_mul_f64", k, 1, f64_op<2, [](double a, double b) { return a * b; }>, f64},
      {"v_fma_f64", k, 1, f64_op<3, [](double a, double b, double c) { return std::fma(a, b, c); }>, f64},
      {"v_fmac_f64", k, 1, f64_op<3, [](double a, double b, double c) { return std::fma(a, b, c); }>, f64},
      {"v_min_f64", k, 1, f64_op<2, [](double a, double b) { return std::fmin(a, b); }>, f64},
      {"v_max_f64", k, 1, f64_op<2, [](double a, double b) { return std::fmax(a, b); }>, f64},
      {"v_ldexp_f64", k, 1, ldexp, f64},
      {"v_frexp_exp_i32_f64", k, 1, exponent, f64},
      {"v_frexp_mant_f64", k, 1,
       f64_op<1,
              [](double a) {
                int exponent = 0;
                return std::isfinite(a) ? std::frexp(a, &exponent) : a;
              }>,
       f64},
      {"v_rndne_f64", k, 1, f64_op<1, [](double a) { return std::nearbyint(a); }>, f64},
      {"v_trunc_f64", k, 1, f64_op<1, [](double a) { return std::trunc(a); }>, f64},
      {"v_floor_f64", k, 1, f64_op<1, [](double a) { return std::floor(a); }>, f64},
      {"v_ceil_f64", k, 1, f64_op<1, [](double a) { return std::ceil(a); }>, f64},
      {"v_fract_f64", k, 1, f64_op<1, [](double a) { return a - std::floor(a); }>, f64},
      {"v_rcp_f64", op_class::trans, 1, f64_op<1, [](double a) { return 1 / a; }>, f64},
      {"v_rsq_f64", op_class::trans, 1, f64_op<1, [](double a) { return 1 / std::sqrt(a); }>, f64},
      {"v_sqrt_f64", op_class::trans, 1, f64_op<1, [](double a) { return std::sqrt(a); }>, f64},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
