#include "support.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/host/features.h"

namespace rowsmith::host_test {

std::vector<toolchain> toolchains() {
  std::vector<toolchain> all;
  for (const char* compiler : {"g++", "clang++"}) {
    const auto b = host::make_backend({{compiler}});
    if (!b->compiler(traits{})) continue;
    for (const char* target : {"x86-64:avx2+f16c+fma+avx512f+avx512bw+avx512vl", "x86-64:avx2+f16c+fma", "x86-64"}) {
      const auto t = host::target_traits(target);
      if (t && host::runs_here(*t)) all.push_back({compiler, t->arch});
    }
  }
  return all;
}

std::string name_of(const toolchain& t) {
  std::string name = t.compiler == "g++" ? "gxx" : "clang";
  const bool wide = t.target.find("avx512") != std::string::npos, middle = t.target.find("avx2") != std::string::npos;
  return name + (wide ? "_avx512" : middle ? "_avx2" : "_base");
}

source instantiate(const std::string& entry, const std::string& text) {
  source s;
  s.name = entry + ".cpp";
  s.entry = entry;
  s.text =
      "#include \"machine/host.h\"\n#include \"row/simd.h\"\n#include \"op/softmax.h\"\nusing namespace rs;\n" + text;
  s.options = {std::string("-I") + ROWSMITH_KERNEL_SOURCE, "-Wall", "-Wextra", "-Werror", "-Wno-psabi"};
  return s;
}

kernels::kernels(const toolchain& with, const std::string& text, const std::string& first_entry)
    : backend_(host::make_backend({{with.compiler}})) {
  const auto target = host::target_traits(with.target);
  const auto made = backend_->compile(instantiate(first_entry, text), *target);
  EXPECT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
  if (!made) return;
  const status checked = backend_->check(made->code, *target, first_entry);
  EXPECT_TRUE(checked.ok()) << checked.to_string();
  if (checked.ok()) code_ = made->code;
}

std::unique_ptr<loaded_kernel> kernels::load(const std::string& entry, int rows_per_block) const {
  launch_plan how;
  how.how = mechanism::simd;
  how.entry = entry;
  how.rows_per_block = rows_per_block;
  auto k = backend_->load(0, code_, how);
  EXPECT_TRUE(k.ok()) << k.status().to_string();
  return k.ok() ? std::move(*k) : nullptr;
}

status launch(const loaded_kernel& k, argument_block& a) {
  if (a.extent[6] == 1 && a.extent[0] == 1) a.extent[6] = a.rows;
  a.items = a.rows;
  a.blocks = (a.rows + 2) / 3;
  return k.launch(a.blocks, &a, sizeof a, {});
}

guarded::guarded(std::size_t size, place where) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t inside = (size + page - 1) / page * page;
  mapped_ = inside + 2 * page;
  map_ = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* first = static_cast<char*>(map_) + page;
  if (map_ == MAP_FAILED || ::mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) std::abort();
  data_ = where == place::at_end ? first + inside - size : first;
}

guarded::~guarded() { ::munmap(map_, mapped_); }

namespace {

// Bits of fraction and the least exponent of a storage type.
int fraction_bits(dtype t) { return t == dtype::f32 ? 23 : t == dtype::f16 ? 10 : 7; }
int least_exponent(dtype t) { return t == dtype::f16 ? -14 : -126; }

template <class T>
T load(const void* p, std::int64_t i) {
  T v;
  std::memcpy(&v, static_cast<const char*>(p) + i * static_cast<std::int64_t>(sizeof(T)), sizeof v);
  return v;
}
template <class T>
void store(void* p, std::int64_t i, T v) {
  std::memcpy(static_cast<char*>(p) + i * static_cast<std::int64_t>(sizeof(T)), &v, sizeof v);
}

double half_to_double(std::uint16_t h) {
  const int e = h >> 10 & 31, m = h & 0x3ff;
  const double a = e == 0 ? std::ldexp(m, -24) : e < 31 ? std::ldexp(m | 0x400, e - 25) : m != 0 ? NAN : INFINITY;
  return (h & 0x8000) != 0 ? -a : a;
}

}  // namespace

double get(const void* p, dtype t, std::int64_t i) {
  if (t == dtype::f32) return load<float>(p, i);
  const auto bits = load<std::uint16_t>(p, i);
  if (t == dtype::f16) return half_to_double(bits);
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float f;
  std::memcpy(&f, &wide, sizeof f);
  return f;
}

void put(void* p, dtype t, std::int64_t i, double v) {
  if (t == dtype::f32) return store(p, i, static_cast<float>(v));
  const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  const double a = std::fabs(v);
  const int bits = fraction_bits(t), exponent_bits = 15 - bits;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << bits);
  if (std::isnan(v)) return store(p, i, static_cast<std::uint16_t>(infinity | 1 << (bits - 1)));
  // In units of the last place at a's exponent, rounded to even by the current mode; a carry moves into the exponent.
  const int e = a == 0 ? least_exponent(t) : std::max(std::ilogb(a), least_exponent(t));
  const double units = std::isinf(a) ? 0 : std::nearbyint(std::ldexp(a, bits - e));
  std::int64_t word = static_cast<std::int64_t>(units) + (std::int64_t{e - least_exponent(t)} << bits);
  if (std::isinf(a) || word > infinity) word = infinity;
  store(p, i, static_cast<std::uint16_t>(word | sign));
}

double half_ulp(dtype t, double y) {
  const int e = y == 0 ? least_exponent(t) : std::max(std::ilogb(std::fabs(y)), least_exponent(t));
  return std::ldexp(0.5, e - fraction_bits(t));
}

reference softmax_reference(const std::vector<double>& x, dtype out, bool accurate) {
  reference r;
  double top = -INFINITY, sum = 0;
  bool spoiled = false;
  for (double v : x) {
    spoiled = spoiled || std::isnan(v) || v == INFINITY;
    top = std::max(top, v);
  }
  spoiled = spoiled || top == -INFINITY;
  for (double v : x) sum += std::exp(v - top);
  const double u = std::ldexp(1.0, -24), length = 16 + 2 * std::log2(static_cast<double>(x.size()));
  for (double v : x) {
    const double y = spoiled ? NAN : std::exp(v - top) / sum, t = (v - top) * 1.4426950408889634;
    const double terms = accurate || y == 0 ? length : length + 2 * std::fabs(t);
    r.y.push_back(y);
    r.bound.push_back(half_ulp(out, y) + u * y * terms + std::ldexp(1.0, -126));
  }
  return r;
}

testing::AssertionResult within(const reference& want, const std::vector<double>& got) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool ok = std::isnan(want.y[i]) ? std::isnan(got[i]) : std::fabs(got[i] - want.y[i]) <= want.bound[i];
    if (ok) continue;
    return testing::AssertionFailure() << "element " << i << " of " << got.size() << ": " << got[i] << ", expected "
                                       << want.y[i] << " ± " << want.bound[i];
  }
  return testing::AssertionSuccess();
}

}  // namespace rowsmith::host_test
