// Widths that change every call: a thousand of them in a row compile at most 24 kernels, and every answer is right.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "rowsmith/runtime.h"
#include "support/norm_check.h"
#include "support/private_folder.h"
#include "support/rows_check.h"
#include "support/softmax_check.h"
#include "support/softmax_family_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr int calls = 1000;
constexpr std::uint64_t most_compiles = 24;

// A thousand different widths, in no order: most of them moderate, some long.
std::int64_t width_of(int call) {
  const std::int64_t shuffled = call * std::int64_t{617} % calls;
  return call % 50 == 49 ? 17000 + 41 * shuffled : 1 + shuffled * (call % 5 == 4 ? 17 : 1) + (call % 5 == 4 ? 1000 : 0);
}

// Compiles are counted: nothing lies ready on a disk.
class own_cache {
 public:
  own_cache() { ::setenv("ROWSMITH_CACHE_DIR", folder_.path().c_str(), 1); }

 private:
  private_folder folder_{"widths"};
};
const own_cache k_cache;

class many_widths : public on_device {
 protected:
  void SetUp() override {
    on_device::SetUp();
    forget_kernels();
  }

  static void expect_few_compiles(const std::function<void(std::int64_t width)>& call) {
    const counter_values before = counters();
    for (int i = 0; i < calls && !HasFailure(); ++i) call(width_of(i));
    const counter_values after = counters();
    EXPECT_LE(after.compiled - before.compiled, most_compiles);
    EXPECT_GT(after.compiled, before.compiled);
    EXPECT_EQ(after.fallback_kernels, before.fallback_kernels);
    EXPECT_GT(after.answered_by_any_width - before.answered_by_any_width, 800u);
  }
};

TEST_F(many_widths, softmax) {
  expect_few_compiles([](std::int64_t width) {
    softmax_call c;
    c.shape = {3, width};
    check_softmax(c, normal(3 * width, 2));
  });
}

TEST_F(many_widths, softmax_that_widens) {
  expect_few_compiles([](std::int64_t width) {
    softmax_call c;
    c.type = f16_to_f32;
    c.shape = {3, width};
    check_softmax(c, normal(3 * width, 2));
  });
}

TEST_F(many_widths, masked_softmax) {
  expect_few_compiles([](std::int64_t width) {
    masked_call c;
    c.shape = {3, width};
    c.masked = true;
    c.form = mask_form::keep;
    c.mask = {dtype::b8, {1, width}, {1, 1, 0, 1, 0, 1, 1}};
    c.causal = 2;
    check_masked(c, normal(3 * width, 2));
  });
}

TEST_F(many_widths, layer_norm) {
  expect_few_compiles([](std::int64_t width) {
    norm_call c;
    c.shape = {5, width};
    c.weight = normal(width, 1, 1), c.bias = normal(width, 1, 2);
    c.mean = c.rstd = true;
    check_norm(c, normal(5 * width, 3));
  });
}

TEST_F(many_widths, softmax_backward) {
  expect_few_compiles([](std::int64_t width) {
    backward_call c;
    c.shape = {3, width};
    check_backward(c, std::vector<float>(static_cast<std::size_t>(width), 1.0f / static_cast<float>(width)),
                   normal(3 * width, 1, 4));
  });
}

// Two launches: sums over rows.
TEST_F(many_widths, layer_norm_backward_with_weight_gradients) {
  expect_few_compiles([](std::int64_t width) {
    norm_backward_call c;
    c.shape = {9, width};
    c.weight = normal(width, 1, 1);
    check_norm_backward(c, normal(9 * width, 2, 2), normal(9 * width, 1, 3));
  });
}

TEST_F(many_widths, moments) {
  expect_few_compiles([](std::int64_t width) {
    moments_call c;
    c.shape = {3, width};
    c.axes = {1};
    check_moments(c, normal(3 * width, 2));
  });
}

// A width that comes again and again gets a kernel of its own, behind the calls' backs; bits may change then, bounds do
// not.
TEST_F(many_widths, one_that_comes_often_gets_its_own_kernel) {
  const auto call = [](std::int64_t width) {
    softmax_call c;
    c.type = bf16;
    c.shape = {3, width};
    check_softmax(c, normal(3 * width, 2));
  };
  for (std::int64_t width = 100; width < 110; ++width) call(width);
  const counter_values before = counters();
  for (int i = 0; i < 70; ++i) call(109);
  for (int i = 0; i < 1000 && counters().exact_after_calls == before.exact_after_calls; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(counters().exact_after_calls, before.exact_after_calls + 1);
  EXPECT_EQ(counters().compiled, before.compiled + 1);
  const std::uint64_t misses = counters().calls_missed;
  call(109);
  EXPECT_EQ(counters().calls_missed, misses);
}

}  // namespace
}  // namespace rowsmith::test
