#include "backend/host/features.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rowsmith::host {
namespace {

struct feature {
  std::string_view name;
  std::string_view flag;
};

// In the order of the canonical name. A set of bits below counts in this order.
constexpr std::array<feature, 6> known = {{{"avx2", "-mavx2"},
                                           {"f16c", "-mf16c"},
                                           {"fma", "-mfma"},
                                           {"avx512f", "-mavx512f"},
                                           {"avx512bw", "-mavx512bw"},
                                           {"avx512vl", "-mavx512vl"}}};
constexpr unsigned bits_256 = 0b000111;
constexpr unsigned bits_512 = 0b111111;

// machine/host.h has three forms: all of the 512-bit sets, all of the 256-bit ones, none. What a CPU has beyond a form
// that it does not complete would only split the cache.
constexpr unsigned whole_form(unsigned bits) {
  if ((bits & bits_512) == bits_512) return bits_512;
  if ((bits & bits_256) == bits_256) return bits_256;
  return 0;
}

#if defined(__x86_64__)
constexpr std::string_view base_name = "x86-64";

unsigned cpu_bits() {
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return 0;
  const bool f16c = (c >> 29 & 1) != 0, fma = (c >> 12 & 1) != 0, osxsave = (c >> 27 & 1) != 0;
  if (!osxsave) return 0;
  // Which registers the system saves on a switch: without that, a feature of the CPU is of no use.
  std::uint32_t saved, high;
  __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  const bool ymm = (saved & 0x06) == 0x06, zmm = (saved & 0xe6) == 0xe6;
  if (!ymm || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return 0;
  const auto has = [&](int bit) { return (b >> bit & 1) != 0; };
  unsigned bits = unsigned{has(5)} | unsigned{f16c} << 1 | unsigned{fma} << 2;
  if (zmm) bits |= unsigned{has(16)} << 3 | unsigned{has(30)} << 4 | unsigned{has(31)} << 5;
  return bits;
}
#elif defined(__aarch64__)
constexpr std::string_view base_name = "aarch64";
unsigned cpu_bits() { return 0; }
#else
constexpr std::string_view base_name = "generic";
unsigned cpu_bits() { return 0; }
#endif

std::string canonical(std::string_view base, unsigned bits) {
  std::string name(base);
  char between = ':';
  for (std::size_t i = 0; i < known.size(); ++i) {
    if ((bits >> i & 1) == 0) continue;
    name += between;
    name += known[i].name;
    between = '+';
  }
  return name;
}

// The bits of "base:feature+feature"; -1 and the unknown feature in *odd when there is one.
int bits_of(std::string_view features, std::string_view* odd) {
  unsigned bits = 0;
  while (!features.empty()) {
    const std::size_t end = features.find_first_of("+,");
    const std::string_view one = features.substr(0, end);
    std::size_t i = 0;
    while (i < known.size() && known[i].name != one) ++i;
    if (i == known.size()) {
      *odd = one;
      return -1;
    }
    bits |= 1u << i;
    features = end == std::string_view::npos ? std::string_view{} : features.substr(end + 1);
  }
  return static_cast<int>(bits);
}

unsigned bits_of(const traits& target) {
  const std::size_t colon = target.arch.find(':');
  if (colon == std::string::npos) return 0;
  std::string_view odd;
  const int bits = bits_of(std::string_view(target.arch).substr(colon + 1), &odd);
  return bits < 0 ? 0u : static_cast<unsigned>(bits);
}

}  // namespace

std::string native_target() { return canonical(base_name, whole_form(cpu_bits())); }

result<traits> target_traits(std::string_view target) {
  const std::string native = native_target();
  if (target == "host" || target == "host:0" || target.empty()) target = native;

  const std::size_t colon = target.find(':');
  const std::string_view base = target.substr(0, colon);
  if (base != "x86-64" && base != "aarch64" && base != base_name) {
    return status(code::invalid_argument,
                  fmt::format("target: \"{}\" is not a host CPU; \"host\", \"x86-64:…\" and \"aarch64\" are", target));
  }
  std::string_view odd;
  const std::string_view list = colon == std::string_view::npos ? std::string_view{} : target.substr(colon + 1);
  const int bits = bits_of(list, &odd);
  if (bits < 0 || (bits != 0 && base != "x86-64")) {
    return status(code::invalid_argument,
                  fmt::format("target: \"{}\" is not a feature of {} that kernels use; the whole list is {}",
                              bits < 0 ? odd : list, base, canonical("x86-64", bits_512)));
  }

  const unsigned form = whole_form(static_cast<unsigned>(bits));
  traits t;
  t.vendor = device_kind::host;
  t.arch = canonical(base, form);
  t.wave = 1;
  t.max_threads = 1;
  t.vector_bytes = form == bits_512 ? 64 : form == bits_256 ? 32 : 16;
  return t;
}

std::vector<std::string> feature_flags(const traits& target) {
  std::vector<std::string> flags;
  const unsigned bits = bits_of(target);
  // A compiler may be configured for a newer CPU than the target: the base is always said.
  if (target.arch.starts_with("x86-64")) flags.emplace_back("-march=x86-64");
  for (std::size_t i = 0; i < known.size(); ++i) {
    if ((bits >> i & 1) != 0) flags.emplace_back(known[i].flag);
  }
  return flags;
}

bool runs_here(const traits& target) {
  return target.arch.substr(0, target.arch.find(':')) == base_name && (bits_of(target) & ~cpu_bits()) == 0;
}

std::string cpu_name() {
#if defined(__x86_64__)
  char text[49] = {};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned r[4];
    if (__get_cpuid(0x80000002u + i, &r[0], &r[1], &r[2], &r[3]) == 0) return {};
    std::memcpy(text + 16 * i, r, 16);
  }
  std::string_view name(text);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return std::string(name);
#else
  return {};
#endif
}

}  // namespace rowsmith::host
