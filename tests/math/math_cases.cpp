#include "math/math_cases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "support/element.h"

namespace rowsmith::test {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

float of_bits(std::uint_fast32_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

// x·s, where s is 0 in the limit that x·s goes to -0 by.
double gated(double x, double s) { return s == 0 ? -0.0 : x * s; }

double gelu_tanh(double x) { return gated(x, sigmoid(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

double minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return NAN;
  return x < y || (x == y && std::signbit(x)) ? x : y;
}

constexpr math_function functions[] = {
    {"exp", "m_exp(x)", 1, [](double x, double) { return std::exp(x); }},
    {"expm1", "m_expm1(x)", 1, [](double x, double) { return std::expm1(x); }},
    {"log", "m_log(x)", 1, [](double x, double) { return std::log(x); }},
    {"log1p", "m_log1p(x)", 1, [](double x, double) { return std::log1p(x); }},
    {"tanh", "m_tanh(x)", 1, [](double x, double) { return std::tanh(x); }},
    {"erf", "m_erf(x)", 1, [](double x, double) { return std::erf(x); }},
    {"sqrt", "m_sqrt(x)", 1, [](double x, double) { return std::sqrt(x); }},
    {"rsqrt", "m_rsqrt(x)", 1, [](double x, double) { return 1 / std::sqrt(x); }},
    {"reciprocal", "m_reciprocal(x)", 1, [](double x, double) { return 1 / x; }, 1},
    {"abs", "m_abs(x)", 1, [](double x, double) { return std::fabs(x); }, 0},
    {"relu", "m_relu(x)", 1, [](double x, double) { return x <= 0 ? 0 : x; }, 0},
    {"sigmoid", "m_sigmoid(x)", 1, [](double x, double) { return sigmoid(x); }},
    {"silu", "m_silu(x)", 1, [](double x, double) { return gated(x, sigmoid(x)); }},
    {"gelu_tanh", "m_gelu_tanh(x)", 1, [](double x, double) { return gelu_tanh(x); }},
    {"gelu_erf", "m_gelu_erf(x)", 1, [](double x, double) { return gated(x, 0.5 * std::erfc(-x / M_SQRT2)); }},
    {"pow", "m_pow(x, y)", 2, [](double x, double y) { return std::pow(x, y); }},
    {"min", "m_min(x, y)", 2, [](double x, double y) { return minimum(x, y); }, 0},
    {"max", "m_max(x, y)", 2, [](double x, double y) { return -minimum(-x, -y); }, 0},
    {"round_f16", "round_to<f16>(x)", 1,
     [](double x, double) -> double { return half_to_float(float_to_half(static_cast<float>(x))); }, 0},
    {"round_bf16", "round_to<bf16>(x)", 1,
     [](double x, double) -> double { return bfloat_to_float(float_to_bfloat(static_cast<float>(x))); }, 0},
    {"round_f32", "round_to<f32>(x)", 1, [](double x, double) { return x; }, 0},
};

constexpr float specials[] = {
    0.0f,          1.0f,       2.0f,       0.5f,       3.0f,       1.5f,        127.0f,          149.0f,
    INFINITY,      NAN,        0x1p-149f,  0x1p-126f,  1e-40f,     3e38f,       0x1.fffffep127f, 0x1.fffffep-1f,
    0x1.000002p0f, 4194303.5f, 8388607.0f, 8388608.0f, 8388609.0f, 16777215.0f, 16777216.0f,     16777218.0f};

// Every exponent of both signs, with mantissas all over; and evenly spread where the functions bend.
std::vector<float> dense() {
  std::vector<float> x;
  std::mt19937 random(1);
  for (std::uint32_t top = 0; top < 512; ++top) {
    for (int i = 0; i < 1024; ++i) x.push_back(of_bits(top << 23 | (random() & 0x7fffff)));
  }
  for (const float bound : {1.5f, 16.0f, 110.0f}) {
    for (int i = 0; i < 200000; ++i) x.push_back(bound * (static_cast<float>(i) / 100000 - 1));
  }
  for (std::uint32_t i = 0; i < 600; ++i) {
    x.push_back(of_bits(i));
    x.push_back(of_bits(0x80000000u | i));
  }
  for (const float s : specials) x.insert(x.end(), {s, -s});
  while (x.size() % 256 != 0) x.push_back(1);
  return x;
}

// Pairs: all the specials with each other; bases and powers whose result is in range; whole powers of negative numbers;
// any bits.
void dense_pairs(std::vector<float>* x, std::vector<float>* y) {
  std::mt19937 random(2);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const auto add = [&](float a, float b) { x->push_back(a), y->push_back(b); };
  for (const float a : specials) {
    for (const float b : specials) add(a, b), add(-a, b), add(a, -b), add(-a, -b);
  }
  for (int i = 0; i < 200000; ++i) {
    for (const float a : {of_bits(random() & 0x7fffffff), static_cast<float>(0.4 + 2 * uniform())}) {
      add(a, static_cast<float>((310 * uniform() - 155) / std::log2(static_cast<double>(a))));
    }
    add(static_cast<float>(-20 * uniform()), static_cast<float>(std::nearbyint(60 * uniform() - 30)));
    const float any = of_bits(random());
    add(any, of_bits(random()));
  }
  while (x->size() % 256 != 0) add(1, 1);
}

// How far `got` is from `want`, in units of the last place of a float there; infinite where no distance will do. An
// overflow counts as 2^128.
double error_in_ulps(double want, float got) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  if (std::signbit(want) != std::signbit(got) || (want == 0) != (got == 0 && want == 0)) return INFINITY;
  if (std::isinf(want)) return std::isinf(got) ? 0 : INFINITY;
  const double top = std::ldexp(1, 128), w = std::min(std::fabs(want), top), g = std::min<double>(std::fabs(got), top);
  const int exponent = w == 0 ? -126 : std::clamp(std::ilogb(w), -126, 127);
  return std::fabs(g - w) / std::ldexp(1, exponent - 23);
}

}  // namespace

std::span<const math_function> math_functions() { return functions; }

void expect_every_function_right(const math_runner& run) {
  static const std::vector<float> one = dense();
  static const auto two = [] {
    std::pair<std::vector<float>, std::vector<float>> p;
    dense_pairs(&p.first, &p.second);
    return p;
  }();
  for (const math_function& f : functions) {
    const std::vector<float>& x = f.operands == 1 ? one : two.first;
    const std::vector<float>& y = f.operands == 1 ? one : two.second;
    const std::vector<float> got = run(f, x, y);
    ASSERT_EQ(got.size(), x.size()) << f.name;
    double worst = 0;
    int reported = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = f.reference(x[i], y[i]), error = error_in_ulps(want, got[i]);
      worst = std::max(worst, error);
      if (error <= f.ulps || reported++ == 5) continue;
      if (reported > 5) break;
      ADD_FAILURE() << f.name << " at x = " << std::hexfloat << x[i] << ", y = " << y[i] << std::defaultfloat << " is "
                    << got[i] << ", expected " << want << " (" << error << " ulp)";
    }
    testing::Test::RecordProperty(std::string("ulps_of_") + f.name, std::to_string(worst));
    if (std::getenv("ROWSMITH_SHOW_ULPS") != nullptr) std::printf("  %-12s %.2f ulp\n", f.name, worst);
  }
}

void expect_vectors_right(const math_runner& run, std::span<const std::string_view> ids) {
  struct vector {
    std::string_view id, function;
    float x, y;
    double want;
  };
  static const float signaling = of_bits(0x7f800001u);
  static const vector vectors[] = {
      {"J11", "gelu_tanh", -100, 0, -0.0},
      {"J11", "gelu_erf", -100, 0, -0.0},
      {"J13", "gelu_tanh", -3, 0, -0.00363739},
      {"J13", "gelu_tanh", 3, 0, 2.99636},
      {"J13", "gelu_tanh", -5, 0, -2.2918e-7},
      {"J13", "gelu_erf", -3, 0, -0.00404969},
      {"J13", "gelu_erf", 3, 0, 2.99595},
      {"J13", "gelu_erf", -5, 0, -1.43326e-6},
      {"J13", "gelu_erf", -10, 0, -7.61985e-23},
      {"J14", "sigmoid", 89, 0, 1},
      {"J14", "sigmoid", -89, 0, 2.22736e-39},
      {"J16", "pow", 2, -127, 5.877472e-39},
      {"J17", "expm1", 90, 0, INFINITY},
      {"J17", "exp", -INFINITY, 0, 0},
      {"A25", "exp", 2 - 90, 0, 6.0546e-39},
      {"A25", "exp", -2 - 90, 0, 1.10894e-40},
      {"exp", "exp", -87.34f, 0, 1.17144e-38},
      {"exp", "exp", -103.97f, 0, 1.4013e-45},
      {"exp", "exp", -104, 0, 0},
      {"exp", "exp", 88.7f, 0, 3.32599e38},
      {"exp", "exp", 88.73f, 0, INFINITY},
      {"E2", "round_bf16", 1 + 0x3p-8f, 0, 1 + 0x4p-8},  // half way: to even, not down
      {"E2", "round_bf16", 1 + 0x1p-8f, 0, 1},
      {"E5", "round_bf16", signaling, 0, NAN},
      {"E5", "round_f16", signaling, 0, NAN},
      {"E5", "round_bf16", 1 + 0x1p-12f, 0, 1},  // not folded away
  };
  for (const vector& v : vectors) {
    if (std::find(ids.begin(), ids.end(), v.id) == ids.end()) continue;
    const auto f =
        std::find_if(std::begin(functions), std::end(functions), [&](const auto& g) { return g.name == v.function; });
    const float got = run(*f, std::vector<float>(256, v.x), std::vector<float>(256, v.y)).at(0);
    const bool right = std::isnan(v.want)                  ? std::isnan(got)
                       : v.want == 0 || std::isinf(v.want) ? got == v.want && std::signbit(got) == std::signbit(v.want)
                                                           : std::fabs(got - v.want) <= 1e-5 * std::fabs(v.want);
    EXPECT_TRUE(right) << v.id << ": " << v.function << "(" << v.x << ", " << v.y << ") is " << got << ", expected "
                       << v.want;
  }
}

}  // namespace rowsmith::test
