// The references against vectors by hand. No test here is named after a collected case: those names are for kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "support/reference.h"

namespace rowsmith::test::reference {
namespace {

using floats = std::vector<float>;
using indices = std::vector<std::int64_t>;

TEST(rows_reference, rows_that_are_not_there_are_plus_zero) {
  const reals table{1, 2, -0.0, 4};
  const expected y = gather_rows(table, 2, indices{1, -1, 2, INT64_MIN, 0});
  EXPECT_TRUE(within(y, dtype::f16, floats{-0.0f, 4, 0, 0, 0, 0, 0, 0, 1, 2}));
  EXPECT_FALSE(within(y, dtype::f16, floats{0, 4, 0, 0, 0, 0, 0, 0, 1, 2}));
  EXPECT_FALSE(within(y, dtype::f16, floats{-0.0f, 4, 0, -0.0f, 0, 0, 0, 0, 1, 2}));
}

TEST(rows_reference, the_backward_adds_what_was_taken) {
  const reals dy{1, 2, 10, 20, 100, 200, 1000, 2000};
  const expected dx = gather_rows_backward(dy, 2, indices{2, -1, 2, 7}, 3);
  EXPECT_TRUE(within(dx, dtype::f32, floats{0, 0, 0, 0, 101, 202}));
  EXPECT_EQ(dx[4].error, u * levels(2) * 101);
  EXPECT_FALSE(within(dx, dtype::f32, floats{-0.0f, 0, 0, 0, 101, 202}));
}

TEST(rows_reference, a_copy_rounds_once) {
  const reals storage{0, 1, 2, 3, 4, 65520};
  const expected y = copy(storage, 5, indices{3, 2}, indices{-1, -3});
  EXPECT_TRUE(within(y, dtype::f16, floats{INFINITY, 2, 4, 1, 3, 0}));
  EXPECT_TRUE(copy(storage, 0, indices{2, 0}, indices{1, 1}).empty());
}

}  // namespace
}  // namespace rowsmith::test::reference
