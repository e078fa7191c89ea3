// Every kind of width, on every mechanism that serves it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/softmax_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

// Among them those at which one mechanism, one number of packs or one way of keeping a row ends and the next begins.
constexpr int every_width[] = {1,     2,     3,     7,     8,     9,     31,     32,    33,    49,    63,    64,
                               65,    127,   128,   144,   192,   197,   255,    256,   257,   333,   505,   512,
                               513,   640,   768,   777,   1000,  1001,  1016,   1017,  1023,  1024,  1025,  1536,
                               2048,  3000,  3001,  4096,  4097,  8192,  8193,   10001, 16376, 16377, 16384, 16385,
                               20001, 32768, 32769, 50257, 65536, 65537, 100003, 131072};

// The host compiles each shape for tenths of a second: all widths in one type, these in the others.
constexpr int telling_widths[] = {1, 3, 8, 49, 65, 512, 777, 1000, 1023, 4096, 16384, 16385, 50257, 131072};

bool is_telling(std::int64_t width) {
  return std::find(std::begin(telling_widths), std::end(telling_widths), width) != std::end(telling_widths);
}

class widths : public on_device, public testing::WithParamInterface<int> {};

// Row counts below, at and above what a block, a tile or a task takes at once; both ends of a tensor at a forbidden
// page.
TEST_P(widths, I3_F18_rows_are_right_and_sum_to_one) {
  const std::int64_t width = GetParam();
  for (const dtypes type : every_dtype) {
    if (under_test().on_host() && type.in != type.out && !is_telling(width)) continue;
    if (under_test().on_host() && type.in != dtype::f16 && !is_telling(width)) continue;
    softmax_call c;
    c.type = type;
    const auto call = [&](std::int64_t rows, edge tight) {
      c.shape = {rows, width};
      c.x_at.tight = c.y_at.tight = tight;
      check_softmax(c, normal(std::min<std::int64_t>(rows, 301) * width, 2, static_cast<unsigned>(rows)));
    };
    call(3, edge::end);
    call(17, edge::begin);
    if (is_telling(width)) call(1, edge::end);  // another shape where rows do not fill whole packs
    if (width <= 1024) call(1000, edge::end);
  }
}

INSTANTIATE_TEST_SUITE_P(softmax, widths, testing::ValuesIn(every_width),
                         [](const auto& p) { return "w" + std::to_string(p.param); });

// Both forms of the exponential for types whose default is the other.
TEST(softmax_exponential, accurate_and_fast_keep_their_bounds) {
  if (!under_test().unavailable.empty()) GTEST_SKIP() << under_test().unavailable;
  for (const std::int64_t width : {49, 512, 4096, 50257}) {
    softmax_call c;
    c.shape = {5, width};
    c.exponential = exp_mode::accurate;
    check_softmax(c, normal(5 * width, 3));
    c.type = f32;
    c.exponential = exp_mode::fast;
    check_softmax(c, normal(5 * width, 3));
  }
}

}  // namespace
}  // namespace rowsmith::test
