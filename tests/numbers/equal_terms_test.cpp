// Sums of equal terms round to one side; every width must stay within the contract's L = 16 + 2 log2 N.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rowsmith/rowsmith.h"
#include "support/tolerance.h"

namespace rowsmith::test {
namespace {

TEST(equal_terms, a_row_of_equal_terms_under_one_maximum) {
  for (const std::int64_t width : {512, 4096, 16384, 50257, 65536, 262144, 1048576}) {
    for (const float c : {-0.05f, -0.1f, -0.3f, -0.7f, -1.3f}) {
      for (const exp_mode m : {exp_mode::fast, exp_mode::accurate}) {
        std::vector<float> x(static_cast<std::size_t>(width), c), y(x.size());
        x[0] = 0;
        const status s = softmax(dense(x.data(), dtype::f32, {width}), dense(y.data(), dtype::f32, {width}),
                                 softmax_options{}.exp(m));
        ASSERT_TRUE(s.ok()) << s.to_string();
        EXPECT_TRUE(within(softmax_reference(x, dtype::f32, m == exp_mode::accurate), y)) << width << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace rowsmith::test
