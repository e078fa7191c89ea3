// Rows that are neighbours in memory: their own elements lie apart.
#include <gtest/gtest.h>

#include "support/softmax_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class column : public on_device {};

TEST_F(column, C7_two_elements_and_many_rows) {
  softmax_call c;
  c.shape = {2, 70000};
  c.axis = 0;
  check_softmax(c, normal(140000));
}

// Widths around those that registers hold; numbers of columns around those of a block.
TEST_F(column, F5_F7_any_width_along_the_first_axis) {
  std::vector<std::int64_t> widths = {1, 2, 7, 8, 9, 63, 64, 65, 128, 255, 256, 257, 511, 513, 1000, 5003, 20000};
  if (under_test().on_host()) widths = {2, 7, 65, 513, 5003};
  for (const std::int64_t width : widths) {
    for (const dtypes type : {f16, f32, f16_to_f32}) {
      if (under_test().on_host() && width > 513 && type.in != type.out) continue;
      for (const std::int64_t columns : {2, 31, 33, 70}) {
        softmax_call c;
        c.type = type;
        c.shape = {width, columns};
        c.axis = 0;
        check_softmax(c, normal(width * columns));
      }
    }
  }
}

TEST_F(column, F5_channels_of_images) {
  for (const std::int64_t pixels : {7, 49, 144}) {
    softmax_call c;
    c.shape = {5, 19, pixels, 3};
    c.axis = 1;
    check_softmax(c, normal(count(c.shape)));
    c.in_place = true;
    check_softmax(c, normal(count(c.shape)));
    c.x_at.phase = 3;
    check_softmax(c, normal(count(c.shape)));
  }
}

TEST_F(column, A3_A8_a_nan_stays_in_its_column) {
  for (const std::int64_t width : {4, 300, 3000}) {
    softmax_call c;
    c.type = f32;
    c.shape = {width, 40};
    c.axis = 0;
    std::vector<float> x = normal(width * 40);
    x[static_cast<std::size_t>(width / 2 * 40 + 17)] = not_a_number;
    x[static_cast<std::size_t>((width - 1) * 40 + 3)] = infinity;
    check_softmax(c, x);
  }
}

}  // namespace
}  // namespace rowsmith::test
