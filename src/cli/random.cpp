#include "cli/random.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace rowsmith::cli {

namespace {

// A bijection of 64 bits whose outputs pass for random: the finalizer of splitmix64.
std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t k_golden = 0x9E3779B97F4A7C15u;

// In [0, 1), 53 bits.
double unit(std::uint64_t seed, std::uint64_t i) noexcept {
  return static_cast<double>(mix(mix(seed + k_golden) + (i + 1) * k_golden) >> 11) * 0x1p-53;
}

// The libraries' log, cos and sin differ in last bits between machines; these use sums and products only.

// Natural logarithm of x in (0, 1].
double log_exactly_so(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);              // [0.5, 1)
  if (m < 0.70710678118654752) m *= 2, --exponent;  // around 1
  const double s = (m - 1) / (m + 1), q = s * s;    // log m = 2 atanh s, |s| < 0.172
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * q + 1.0 / k;
  return exponent * 0.69314718055994531 + 2 * s * sum;
}

// cos and sin of 2 pi u, u in [0, 1).
void circle(double u, double* c, double* s) noexcept {
  const int quarter = static_cast<int>(u * 4 + 0.5);                      // nearest multiple of a quarter turn, 0 to 4
  const double t = (u - quarter * 0.25) * 6.2831853071795865, q = t * t;  // |t| <= pi / 4
  double cosine = 0, sine = 0;
  for (int k = 16; k >= 2; k -= 2) {
    cosine = (cosine + 1) * -q / (k * (k - 1));
    sine = (sine + 1) * -q / (k * (k + 1));
  }
  cosine += 1;
  sine = (sine + 1) * t;
  switch (quarter & 3) {
    case 0:
      *c = cosine, *s = sine;
      break;
    case 1:
      *c = -sine, *s = cosine;
      break;
    case 2:
      *c = -cosine, *s = -sine;
      break;
    default:
      *c = sine, *s = -cosine;
      break;
  }
}

bool number(const std::string& text, double* out) {
  char* end = nullptr;
  *out = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && std::isfinite(*out);
}

}  // namespace

result<distribution> parse_distribution(const std::string& text) {
  const auto refuse = [&](const std::string& what) {
    return status(code::invalid_argument, fmt::format("--dist: found \"{}\", {}", text, what));
  };
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  distribution d;
  if (name == "uniform") {
    d.kind = distribution::shape::uniform;
  } else if (name != "normal") {
    return refuse("normal:MEAN:STD and uniform:LO:HI are allowed");
  }
  if (colon == text.size()) return d;
  const std::size_t second = text.find(':', colon + 1);
  if (second == std::string::npos || !number(text.substr(colon + 1, second - colon - 1), &d.a) ||
      !number(text.substr(second + 1), &d.b)) {
    return refuse("two finite numbers are needed, as in " + name + ":0:1");
  }
  if (d.kind == distribution::shape::normal && d.b < 0) return refuse("the deviation may not be negative");
  if (d.kind == distribution::shape::uniform && d.b < d.a) return refuse("the low end may not exceed the high end");
  return d;
}

std::string to_string(const distribution& d) {
  return fmt::format("{}:{}:{}", d.kind == distribution::shape::normal ? "normal" : "uniform", d.a, d.b);
}

two draw(const distribution& d, std::uint64_t seed, std::uint64_t pair) noexcept {
  const double u = unit(seed, 2 * pair), v = unit(seed, 2 * pair + 1);
  if (d.kind == distribution::shape::uniform) return {d.a + (d.b - d.a) * u, d.a + (d.b - d.a) * v};
  // Box and Muller: 1 - u is in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2 * log_exactly_so(1 - u));
  double c = 0, s = 0;
  circle(v, &c, &s);
  return {d.a + d.b * radius * c, d.a + d.b * radius * s};
}

}  // namespace rowsmith::cli
