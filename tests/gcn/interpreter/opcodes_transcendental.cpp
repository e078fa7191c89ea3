// exp, log, reciprocals and roots. A card may be off by one ulp, in a way it does not tell; here the result is the
// nearest one, or, where perturbation is asked for, one within an ulp of the exact value, chosen by the bits of the
// result and a seed. No further: compilers divide whole numbers by these reciprocals, and count on that ulp.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

u64 mixed(u64 x) {  // splitmix64's finisher
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// How a type's numbers are stored: what stays is zero, infinities, NaN and the last numbers before them.
struct form {
  u32 smallest, largest, magnitude;
  int digits;  // of the fraction
  float (*value)(u32 bits);
};
constexpr form k_f32{0x00800000, 0x7f7fffff, 0x7fffffff, 23, as_f32};
constexpr form k_f16{0x0400, 0x7bff, 0x7fff, 10, half_to_float};

// `bits` is what is nearest to `exact`.
u32 perturbed(u32 bits, double exact, u64 seed, const form& f) {
  const u32 size = bits & f.magnitude;
  if (size <= f.smallest || size >= f.largest) return bits;
  const u32 other = bits + static_cast<u32>(mixed(seed + bits * u64{0x9e3779b97f4a7c15u}) % 3) - 1;
  const double ulp = std::ldexp(1.0, std::ilogb(exact) - f.digits);
  return std::abs(f.value(other) - exact) <= ulp ? other : bits;
}

// F works on floats and on doubles. None of these ops has denormal sources or results in 32 bits, whatever MODE says,
// save sqrt.
template <auto F, bool Denormals = false>
void f32_function(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) {
    const float x = Denormals ? a.at[l] : flush(a.at[l]);
    const float y = static_cast<float>(F(x));
    r[l] = as_u32(Denormals ? y : flush(y));
  });
  if (e.options().perturb) {
    each_lane([&](int l) {
      const float x = Denormals ? a.at[l] : flush(a.at[l]);
      r[l] = perturbed(r[l], F(static_cast<double>(x)), e.options().seed, k_f32);
    });
  }
  e.put_f32(i, r, a.defined);
}

template <auto F>
void f16_function(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0);
  float* r = reinterpret_cast<float*>(e.scratch());
  each_lane([&](int l) { r[l] = static_cast<float>(F(a.at[l])); });
  if (e.options().perturb) {
    each_lane([&](int l) {
      const double exact = F(static_cast<double>(a.at[l]));
      r[l] = half_to_float(perturbed(float_to_half(r[l]), exact, e.options().seed, k_f16));
    });
  }
  e.put_f16(i, r, a.defined, false);
}

constexpr double k_turn = 6.283185307179586476925;
constexpr auto reciprocal = [](auto a) { return 1 / a; };
constexpr auto reciprocal_root = [](auto a) { return 1.0 / std::sqrt(static_cast<double>(a)); };
constexpr auto root = [](auto a) { return std::sqrt(a); };
constexpr auto power = [](auto a) { return std::exp2(a); };
constexpr auto logarithm = [](auto a) { return std::log2(a); };
constexpr auto sine = [](auto a) { return std::sin(k_turn * a); };  // of turns, not radians
constexpr auto cosine = [](auto a) { return std::cos(k_turn * a); };

}  // namespace

void add_transcendental_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::trans;
  const opcode group[] = {
      {"v_rcp_f32", k, 1, f32_function<reciprocal>},
      {"v_rcp_iflag_f32", k, 1, f32_function<reciprocal>},
      {"v_rsq_f32", k, 1, f32_function<reciprocal_root>},
      {"v_sqrt_f32", k, 1, f32_function<root, true>},
      {"v_exp_f32", k, 1, f32_function<power>},
      {"v_log_f32", k, 1, f32_function<logarithm>},
      {"v_exp_legacy_f32", k, 1, f32_function<power>},
      {"v_log_legacy_f32", k, 1, f32_function<logarithm>},
      {"v_sin_f32", k, 1, f32_function<sine>},
      {"v_cos_f32", k, 1, f32_function<cosine>},
      {"v_rcp_f16", k, 1, f16_function<reciprocal>, literal::f16},
      {"v_rsq_f16", k, 1, f16_function<reciprocal_root>, literal::f16},
      {"v_sqrt_f16", k, 1, f16_function<root>, literal::f16},
      {"v_exp_f16", k, 1, f16_function<power>, literal::f16},
      {"v_log_f16", k, 1, f16_function<logarithm>, literal::f16},
      {"v_sin_f16", k, 1, f16_function<sine>, literal::f16},
      {"v_cos_f16", k, 1, f16_function<cosine>, literal::f16},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
