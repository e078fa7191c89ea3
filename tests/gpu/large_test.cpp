// Tensors of more than 2^31 and 2^32 elements, for real: every element is read and written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "support/element.h"
#include "support/softmax_check.h"
#include "support/tolerance.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr std::size_t zone = 1 << 20;  // bytes of poison behind the elements
constexpr std::int64_t distinct = 61;  // rows that repeat

class large : public on_device {
 protected:
  void TearDown() override {
    if (memory_ != nullptr) {
      EXPECT_TRUE(release(where(), memory_).ok());
    }
  }
  static device where() { return under_test().where; }

  // Softmax in place of [rows, width], filled with `distinct` rows again and again; then rows at all telling places.
  void run(std::int64_t rows, std::int64_t width, dtype type) {
    const std::size_t row_bytes = static_cast<std::size_t>(width) * size_of(type);
    const std::size_t bytes = static_cast<std::size_t>(rows) * row_bytes;
    const result<void*> got = allocate(where(), bytes + zone);
    if (!got) GTEST_SKIP() << bytes << " bytes: " << got.status().to_string();
    memory_ = static_cast<char*>(*got);

    std::vector<float> values = normal(distinct * width, 2);
    std::vector<char> raw(values.size() * size_of(type));
    for (std::size_t i = 0; i < values.size(); ++i) {
      put(&raw[i * size_of(type)], type, values[i]);
      values[i] = get(&raw[i * size_of(type)], type);
    }
    ASSERT_TRUE(copy(where(), memory_, raw.data(), std::min(raw.size(), bytes)).ok());
    for (std::size_t done = raw.size(); done < bytes; done *= 2) {
      ASSERT_TRUE(copy(where(), memory_ + done, memory_, std::min(done, bytes - done)).ok());
    }
    std::vector<unsigned char> behind(zone, output_poison);
    ASSERT_TRUE(copy(where(), memory_ + bytes, behind.data(), zone).ok());

    const status called = softmax(dense(memory_, type, {rows, width}, where()));
    ASSERT_TRUE(called.ok()) << called.to_string();
    ASSERT_TRUE(synchronize(where()).ok());

    ASSERT_TRUE(copy(where(), behind.data(), memory_ + bytes, zone).ok());
    EXPECT_TRUE(std::all_of(behind.begin(), behind.end(), [](unsigned char b) { return b == output_poison; }));
    std::vector<softmax_reference> want;
    for (std::int64_t r = 0; r < distinct; ++r) {
      want.emplace_back(std::span(values).subspan(static_cast<std::size_t>(r * width), static_cast<std::size_t>(width)),
                        type, type == dtype::f32);
    }
    std::vector<char> row(row_bytes);
    std::vector<float> out(static_cast<std::size_t>(width));
    for (const std::int64_t r : telling(rows, width)) {
      ASSERT_TRUE(copy(where(), row.data(), memory_ + static_cast<std::size_t>(r) * row_bytes, row_bytes).ok());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = get(&row[i * size_of(type)], type);
      ASSERT_TRUE(within(want[static_cast<std::size_t>(r % distinct)], out)) << "row " << r << " of " << rows;
    }
  }

 private:
  // The first and last rows, those around every power of two of elements and bytes, and some between.
  static std::set<std::int64_t> telling(std::int64_t rows, std::int64_t width) {
    std::set<std::int64_t> some;
    const auto add = [&](std::int64_t r) {
      for (std::int64_t i = r - 2; i <= r + 2; ++i) {
        if (i >= 0 && i < rows) some.insert(i);
      }
    };
    for (int bit = 29; bit < 36; ++bit) add((std::int64_t{1} << bit) / width);
    for (std::int64_t i = 0; i <= 200; ++i) add((rows - 1) / 200 * i);
    add(0), add(rows - 1);
    return some;
  }
  char* memory_ = nullptr;
};

TEST_F(large, B1_more_than_2_to_31_elements_in_tiles) { run((std::int64_t{1} << 31) / 49 + 3, 49, dtype::f16); }
TEST_F(large, B1_more_than_2_to_31_elements_in_blocks) { run((std::int64_t{1} << 31) / 4096 + 3, 4096, dtype::f16); }
TEST_F(large, B2_more_than_6e9_elements) { run(std::int64_t{5120} * 8 * 384, 384, dtype::bf16); }
TEST_F(large, B6_more_than_2_to_32_elements) { run(669 * 128, 50259, dtype::f16); }
TEST_F(large, C1_more_than_2_to_31_rows) { run((std::int64_t{1} << 31) + 5, 1, dtype::f16); }

// One row; every element is the same, so that the result is 1 / width, far below f16: f32 out.
TEST_F(large, one_row_of_2147483650_elements) {
  const std::int64_t width = 2147483650;
  const std::size_t in_bytes = static_cast<std::size_t>(width) * 2, out_bytes = in_bytes * 2;
  const result<void*> x = allocate(where(), in_bytes), y = allocate(where(), out_bytes);
  if (x && y) {
    const std::vector<char> ones(1 << 26, 0);
    for (std::size_t at = 0; at < in_bytes; at += ones.size()) {
      ASSERT_TRUE(copy(where(), static_cast<char*>(*x) + at, ones.data(), std::min(ones.size(), in_bytes - at)).ok());
    }
    const status called =
        softmax(dense(*x, dtype::f16, {1, width}, where()), dense(*y, dtype::f32, {1, width}, where()));
    EXPECT_TRUE(called.ok()) << called.to_string();
    EXPECT_TRUE(synchronize(where()).ok());
    for (const std::int64_t at :
         {std::int64_t{0}, width / 2, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, width - 1}) {
      float got = 0;
      EXPECT_TRUE(copy(where(), &got, static_cast<float*>(*y) + at, sizeof got).ok());
      EXPECT_NEAR(got * static_cast<double>(width), 1, 78 * 0x1p-24) << at;  // L = 16 + 2 log2(width)
    }
  }
  if (x) {
    EXPECT_TRUE(release(where(), *x).ok());
  }
  if (y) {
    EXPECT_TRUE(release(where(), *y).ok());
  }
  if (!x || !y) GTEST_SKIP() << "no room for " << in_bytes + out_bytes << " bytes";
}

}  // namespace
}  // namespace rowsmith::test
