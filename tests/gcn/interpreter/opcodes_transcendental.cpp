// exp, log, reciprocals and roots. A card may be off by one ulp, in a way it does not tell; here the result is the
// nearest one, or, where perturbation is asked for, that or a neighbour of it, chosen by the bits of the result and a
// seed.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

u64 mixed(u64 x) {  // splitmix64's finisher
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Zero, infinities, NaN and the last numbers before them stay.
u32 neighbour(u32 bits, u64 seed, u32 smallest, u32 largest, u32 magnitude) {
  const u32 size = bits & magnitude;
  if (size <= smallest || size >= largest) return bits;
  return bits + static_cast<u32>(mixed(seed + bits * u64{0x9e3779b97f4a7c15u}) % 3) - 1;
}

// None of these ops has denormal sources or results in 32 bits, whatever MODE says, save sqrt.
template <auto F, bool Denormals = false>
void f32_function(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) {
    const float x = Denormals ? a.at[l] : flush(a.at[l]);
    const float y = F(x);
    r[l] = as_u32(Denormals ? y : flush(y));
  });
  if (e.options().perturb) {
    each_lane([&](int l) { r[l] = neighbour(r[l], e.options().seed, 0x00800000, 0x7f7fffff, 0x7fffffff); });
  }
  e.put_f32(i, r, a.defined);
}

template <auto F>
void f16_function(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0);
  float* r = reinterpret_cast<float*>(e.scratch());
  each_lane([&](int l) { r[l] = F(a.at[l]); });
  if (e.options().perturb) {
    each_lane(
        [&](int l) { r[l] = half_to_float(neighbour(float_to_half(r[l]), e.options().seed, 0x0400, 0x7bff, 0x7fff)); });
  }
  e.put_f16(i, r, a.defined, false);
}

constexpr double k_turn = 6.283185307179586476925;
constexpr auto reciprocal = [](float a) { return 1.0f / a; };
constexpr auto reciprocal_root = [](float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); };
constexpr auto root = [](float a) { return std::sqrt(a); };
constexpr auto power = [](float a) { return std::exp2(a); };
constexpr auto logarithm = [](float a) { return std::log2(a); };
constexpr auto sine = [](float a) { return static_cast<float>(std::sin(k_turn * a)); };  // of turns, not radians
constexpr auto cosine = [](float a) { return static_cast<float>(std::cos(k_turn * a)); };

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
