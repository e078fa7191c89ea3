// Copies: every bit, at every layout.
#include <gtest/gtest.h>

#include "support/elementwise_check.h"

namespace rowsmith::test {
namespace {

class copies : public on_device {};

constexpr dtype every_type[] = {dtype::f32, dtype::f16, dtype::bf16, dtype::b8, dtype::i32, dtype::i64};

TEST_F(copies, of_one_dtype_keep_every_bit) {
  for (const dtype type : every_type) {
    for (const std::int64_t n : {1, 2, 7, 33, 1000, 20011}) {
      for (const auto& [x, y] : {std::pair{0, 0}, {1, 1}, {1, 0}, {0, 1}}) {
        check_copy({type, {n}, {}, {edge::end, x}}, {type, {n}, {}, {edge::end, y}});
        check_copy({type, {n}, {}, {edge::begin, x}}, {type, {n}, {}, {edge::begin, y}});
      }
    }
  }
}

TEST_F(copies, E5_that_convert) {
  for (const dtype in : {dtype::f32, dtype::f16, dtype::bf16}) {
    for (const dtype out : {dtype::f32, dtype::f16, dtype::bf16}) {
      check_copy({in, {5003}}, {out, {5003}});
      check_copy({in, {71, 70}, {1, 71}}, {out, {71, 70}});
    }
  }
}

TEST_F(copies, C7_transposed) {
  for (const dtype type : every_type) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 3}, {64, 64}, {65, 63}, {128, 200}, {1, 500}, {513, 7}}) {
      check_copy({type, {rows, columns}, {1, rows}}, {type, {rows, columns}});
      check_copy({type, {rows, columns}}, {type, {rows, columns}, {1, rows}});
      check_copy({type, {rows, columns}, {1, rows + 1}, {edge::end, 1}}, {type, {rows, columns}});
    }
    check_copy({type, {3, 96, 72}, {96 * 72, 1, 96}}, {type, {3, 96, 72}});
    check_copy({type, {5, 40, 3, 48}, {48 * 40 * 3, 1, 40 * 48, 40}}, {type, {5, 40, 3, 48}});
  }
}

TEST_F(copies, B9_of_windows_back_to_their_places_cropped_and_converted) {
  // [windows, 7 x 7, C] to [H, W, C] of which the last rows and columns are cropped.
  const std::int64_t c = 96, wide = 3;
  for (const dtype out : {dtype::bf16, dtype::f32}) {
    check_copy({dtype::bf16, {2, 7, wide, 7, c}, {wide * 49 * c, 7 * c, 49 * c, c, 1}},
               {out, {2, 7, wide, 7, c}, {7 * 20 * c + 5 * c * 7, 25 * c, 7 * c, c, 1}});
  }
  check_copy({dtype::f16, {5, 6, 33}, {9 * 40, 40, 1}, {edge::end, 3}}, {dtype::f16, {5, 6, 33}});
}

TEST_F(copies, F9_that_repeat) {
  for (const dtype type : {dtype::bf16, dtype::i64}) {
    check_copy({type, {1}}, {type, {1000}});
    check_copy({type, {100}}, {type, {7, 100}});
    check_copy({type, {7, 1}}, {type, {7, 100}});
    check_copy({type, {7, 100}, {0, 1}}, {type, {7, 100}, {101, 1}});
  }
}

TEST_F(copies, F3_with_strides_of_any_sign) {
  for (const dtype type : {dtype::f16, dtype::f32, dtype::b8}) {
    check_copy({type, {9, 65}, {65, -1}}, {type, {9, 65}});
    check_copy({type, {9, 65}, {130, 2}}, {type, {9, 65}, {-65, 1}});
    check_copy({type, {9, 65}}, {type, {9, 65}, {195, 3}});
    check_copy({type, {0, 65}}, {type, {0, 65}});
  }
}

}  // namespace
}  // namespace rowsmith::test
