// Calls at random: shapes, strides, bases, axes, dtypes, values, in place or not. Bounded in executed
// wave-instructions; the seed is printed and can be given by ROWSMITH_GCN_SEED.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "gcn/suite/double.h"
#include "support/softmax_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr std::uint64_t most_instructions = 6'000'000;
constexpr int most_calls = 60;
constexpr std::int64_t most_elements = 60'000;

class dice {
 public:
  explicit dice(unsigned seed) : random_(seed) {}
  std::int64_t from_to(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool one_in(int n) { return from_to(1, n) == 1; }
  // Small ones as often as large ones, in powers of two.
  std::int64_t magnitude(std::int64_t most) {
    const double bits = std::uniform_real_distribution<double>(0, std::log2(static_cast<double>(most)))(random_);
    return std::clamp<std::int64_t>(std::llround(std::exp2(bits)), 1, most);
  }

 private:
  std::mt19937 random_;
};

// Strides of a view whose elements are distinct: gaps, steps, axes in any order, some backwards.
dims strides_for(const dims& shape, dice& d) {
  std::vector<std::size_t> order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (d.one_in(4)) std::swap(order[0], order[static_cast<std::size_t>(d.from_to(0, std::ssize(order) - 1))]);
  dims stride(shape.size());
  std::int64_t step = d.one_in(6) ? d.from_to(2, 3) : 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    stride[order[i]] = d.one_in(8) ? -step : step;
    step = step * shape[order[i]] + (d.one_in(3) ? d.from_to(1, 9) : 0);
  }
  return stride;
}

softmax_call call_at_random(dice& d) {
  softmax_call c;
  const std::int64_t width = d.one_in(3) ? 8 * d.magnitude(2048) : d.magnitude(9000);
  std::int64_t left = std::max<std::int64_t>(most_elements / width, 1);
  for (std::int64_t rank = d.from_to(1, 3); rank > 1; --rank) {
    c.shape.push_back(std::min(d.magnitude(64), left));
    left /= c.shape.back();
  }
  const std::int64_t at = d.one_in(4) ? d.from_to(0, std::ssize(c.shape)) : std::ssize(c.shape);
  c.shape.insert(c.shape.begin() + at, width);
  c.axis = static_cast<int>(at - (d.one_in(2) ? std::ssize(c.shape) : 0));
  c.type = every_dtype[d.from_to(0, std::ssize(every_dtype) - 1)];
  c.in_place = c.type.in == c.type.out && d.one_in(4);
  c.exponential = static_cast<exp_mode>(d.from_to(0, 2));
  if (d.one_in(3)) c.x_stride = strides_for(c.shape, d);
  if (d.one_in(3)) c.y_stride = strides_for(c.shape, d);
  if (c.in_place) c.y_stride = c.x_stride;
  if (d.one_in(3)) c.x_at.phase = static_cast<int>(d.from_to(0, 7));
  if (d.one_in(3)) c.y_at.phase = static_cast<int>(d.from_to(0, 7));
  return c;
}

std::vector<float> values_at_random(const softmax_call& c, dice& d) {
  const float sigma = d.one_in(4) ? 3000.0f : static_cast<float>(d.from_to(1, 6));
  std::vector<float> x = normal(count(c.shape), sigma, static_cast<unsigned>(d.from_to(0, 1000)));
  if (c.type.in == dtype::f16) {
    for (float& v : x) v = std::clamp(v, -65504.0f, 65504.0f);
  }
  constexpr float odd[] = {-infinity, infinity, not_a_number};
  for (std::int64_t n = d.one_in(3) ? d.from_to(1, 5) : 0; n > 0; --n) {
    x[static_cast<std::size_t>(d.from_to(0, std::ssize(x) - 1))] = odd[d.from_to(0, 2)];
  }
  return x;
}

class property : public on_device {};

TEST_F(property, any_call_at_all) {
  const char* given = std::getenv("ROWSMITH_GCN_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : std::random_device()() % 1000000;
  dice d(seed);
  const std::uint64_t before = simulated_hip::get().instructions();
  int calls = 0;
  for (; calls < most_calls && simulated_hip::get().instructions() - before < most_instructions; ++calls) {
    const softmax_call c = call_at_random(d);
    const std::vector<float> x = values_at_random(c, d);
    // Waves in another order and transcendentals off by an ulp must not matter either.
    ::setenv("HIPSIM_ORDER", std::to_string(calls).c_str(), 1);
    ::setenv("HIPSIM_PERTURB", d.one_in(2) ? std::to_string(seed + 1).c_str() : "0", 1);
    check_softmax(c, x);
    if (HasFailure()) break;
  }
  ::unsetenv("HIPSIM_ORDER");
  ::unsetenv("HIPSIM_PERTURB");
  std::printf("ROWSMITH_GCN_SEED=%u: %d calls, %llu wave-instructions\n", seed, calls,
              static_cast<unsigned long long>(simulated_hip::get().instructions() - before));
  EXPECT_FALSE(HasFailure()) << "ROWSMITH_GCN_SEED=" << seed << ", call " << calls;
}

}  // namespace
}  // namespace rowsmith::test
