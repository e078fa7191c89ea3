// Window indices against pad, roll and partition done one after the other, on row numbers as data.
#include "rowsmith/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace rowsmith {
namespace {

using numbers = std::vector<std::int64_t>;
using testing::HasSubstr;

// A dense tensor of three axes.
struct cube {
  std::int64_t a, b, c;
  numbers at;

  cube(std::int64_t a, std::int64_t b, std::int64_t c) : a(a), b(b), c(c), at(a * b * c, -1) {}
  std::int64_t& operator()(std::int64_t i, std::int64_t j, std::int64_t k) { return at[(i * b + j) * c + k]; }

  template <class F>
  void each(F f) {
    for (std::int64_t i = 0; i < a; ++i)
      for (std::int64_t j = 0; j < b; ++j)
        for (std::int64_t k = 0; k < c; ++k) f(i, j, k);
  }
};

struct triple {
  std::int64_t a, b, c;
  window_axes axes() const { return {a, b, c}; }
};

struct partition {
  triple dims, window, shift, front, back;

  cube padded() const { return {dims.a + front.a + back.a, dims.b + front.b + back.b, dims.c + front.c + back.c}; }

  cube pad(cube x) const {
    cube y = padded();
    x.each([&](auto i, auto j, auto k) { y(i + front.a, j + front.b, k + front.c) = x(i, j, k); });
    return y;
  }

  cube crop(cube y) const {
    cube x(dims.a, dims.b, dims.c);
    x.each([&](auto i, auto j, auto k) { x(i, j, k) = y(i + front.a, j + front.b, k + front.c); });
    return x;
  }

  // As torch.roll: what was at i is at i + by.
  static cube roll(cube x, triple by) {
    const auto to = [](std::int64_t i, std::int64_t by, std::int64_t n) { return ((i + by) % n + n) % n; };
    cube y(x.a, x.b, x.c);
    x.each([&](auto i, auto j, auto k) { y(to(i, by.a, x.a), to(j, by.b, x.b), to(k, by.c, x.c)) = x(i, j, k); });
    return y;
  }

  // view(A/a, a, B/b, b, C/c, c).permute(0, 2, 4, 1, 3, 5): where a point goes.
  std::int64_t place(const cube& x, std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t which = (i / window.a * (x.b / window.b) + j / window.b) * (x.c / window.c) + k / window.c;
    const std::int64_t inside = (i % window.a * window.b + j % window.b) * window.c + k % window.c;
    return which * window.a * window.b * window.c + inside;
  }

  numbers windows(cube x) const {
    numbers y(x.at.size());
    x.each([&](auto i, auto j, auto k) { y[place(x, i, j, k)] = x(i, j, k); });
    return y;
  }

  cube reverse(const numbers& y) const {
    cube x = padded();
    x.each([&](auto i, auto j, auto k) { x(i, j, k) = y[place(x, i, j, k)]; });
    return x;
  }

  numbers forward() const {
    cube x(dims.a, dims.b, dims.c);
    std::iota(x.at.begin(), x.at.end(), 0);
    return windows(roll(pad(x), {-shift.a, -shift.b, -shift.c}));
  }

  numbers backward() const {
    numbers y(padded().at.size());
    std::iota(y.begin(), y.end(), 0);
    return crop(roll(reverse(y), shift)).at;
  }
};

template <class Index>
void expect_same(const partition& p, const window_pad& pad) {
  const window_axes dims = p.dims.axes(), window = p.window.axes(), shift = p.shift.axes();
  const std::int64_t rows = window_rows(dims, window, pad).value();
  std::vector<Index> index(rows, -7), restore(p.dims.a * p.dims.b * p.dims.c, -7);
  ASSERT_TRUE(window_index(dims, window, shift, pad, index.data(), rows).ok());
  ASSERT_TRUE(
      window_restore_index(dims, window, shift, pad, restore.data(), static_cast<std::int64_t>(restore.size())).ok());
  EXPECT_EQ(numbers(index.begin(), index.end()), p.forward());
  EXPECT_EQ(numbers(restore.begin(), restore.end()), p.backward());
  for (std::size_t r = 0; r < restore.size(); ++r) ASSERT_EQ(index[restore[r]], static_cast<Index>(r));
}

TEST(window, is_pad_roll_and_partition) {
  const partition all[] = {
      {{1, 1, 6}, {1, 1, 3}, {0, 0, 1}, {}, {}},
      {{1, 7, 5}, {1, 4, 3}, {0, 2, 1}, {}, {0, 1, 1}},
      {{3, 5, 7}, {2, 3, 4}, {1, -1, 9}, {0, 0, 0}, {1, 1, 1}},
      {{3, 5, 7}, {2, 3, 4}, {1, 2, 3}, {1, 3, 0}, {2, 1, 5}},
      {{4, 1, 1}, {2, 1, 1}, {-5, 0, 0}, {2, 0, 0}, {0, 0, 0}},
  };
  for (const partition& p : all) {
    expect_same<std::int32_t>(p, window_pad::of(p.front.axes(), p.back.axes()));
    expect_same<std::int64_t>(p, window_pad::of(p.front.axes(), p.back.axes()));
  }
}

TEST(window, of_a_weather_model) {
  const window_pad pad = window_pad::to_multiple_centered();
  expect_same<std::int32_t>({{8, 181, 360}, {2, 6, 12}, {1, 3, 6}, {0, 2, 0}, {0, 3, 0}}, pad);
  const partition small{{8, 91, 180}, {2, 6, 12}, {1, 3, 6}, {0, 2, 0}, {0, 3, 0}};
  expect_same<std::int32_t>(small, pad);
  EXPECT_EQ(window_rows(small.dims.axes(), small.window.axes(), pad).value(), 8 * 96 * 180);

  const partition more{{8, 91, 180}, {2, 2, 36}, {1, 1, 18}, {0, 1, 0}, {0, 2, 0}};
  EXPECT_EQ(more.dims.a * more.dims.b * more.dims.c, 131040);
  EXPECT_EQ(more.padded().at.size(), 135360u);
  expect_same<std::int64_t>(more, window_pad::of({0, 1, 0}, {0, 2, 0}));
}

TEST(window, pads_to_the_next_multiple) {
  EXPECT_EQ(window_rows({7, 8}, {3, 4}, window_pad::to_multiple()).value(), 9 * 8);
  expect_same<std::int32_t>({{1, 7, 7}, {1, 3, 5}, {0, 1, 2}, {0, 0, 0}, {0, 2, 3}}, window_pad::to_multiple());
  expect_same<std::int32_t>({{1, 7, 7}, {1, 3, 5}, {0, 1, 2}, {0, 1, 1}, {0, 1, 2}},
                            window_pad::to_multiple_centered());
}

TEST(window, of_fewer_axes) {
  std::int32_t index[6] = {};
  ASSERT_TRUE(window_index({5}, {3}, {1}, window_pad::to_multiple(), index, 6).ok());
  EXPECT_THAT(index, testing::ElementsAre(1, 2, 3, 4, -1, 0));
  std::int32_t restore[5] = {};
  ASSERT_TRUE(window_restore_index({5}, {3}, {1}, window_pad::to_multiple(), restore, 5).ok());
  EXPECT_THAT(restore, testing::ElementsAre(5, 0, 1, 2, 3));
  ASSERT_TRUE(window_index({2, 2}, {1, 2}, {}, {}, index, 4).ok());
  EXPECT_THAT(std::vector<int>(index, index + 4), testing::ElementsAre(0, 1, 2, 3));
}

TEST(window, of_nothing) {
  std::int32_t* none = nullptr;
  EXPECT_TRUE(window_index({0, 4}, {2, 2}, {1, 1}, {}, none, 0).ok());
  std::int32_t index[2] = {};
  ASSERT_TRUE(window_index({0}, {2}, {1}, window_pad::of({1}, {1}), index, 2).ok());
  EXPECT_THAT(index, testing::ElementsAre(-1, -1));
}

TEST(window, refuses_and_says_why) {
  std::int32_t index[8];
  const auto why = [&](window_axes dims, window_axes window, window_axes shift, window_pad pad, std::int64_t rows = 8) {
    const status s = window_index(dims, window, shift, pad, index, rows);
    EXPECT_EQ(s.error(), code::invalid_argument);
    return s.message();
  };
  EXPECT_EQ(why({}, {}, {}, {}), "dims: 0 axes, 1 to 3 are allowed");
  EXPECT_EQ(why({1, 1, 1, 8}, {1, 1, 1, 1}, {}, {}), "dims: 4 axes, 1 to 3 are allowed");
  EXPECT_EQ(why({8}, {2, 2}, {}, {}), "window: 2 axes, but dims has 1");
  EXPECT_EQ(why({8}, {2}, {1, 1}, {}), "shift: 2 axes, but dims has 1");
  EXPECT_EQ(why({8}, {2}, {}, window_pad::of({0}, {0, 0})), "pad: back: 2 axes, but dims has 1");
  EXPECT_EQ(why({-8}, {2}, {}, {}), "dims: [0] is -8, at least 0 is allowed");
  EXPECT_EQ(why({8}, {0}, {}, {}), "window: [0] is 0, at least 1 is allowed");
  EXPECT_EQ(why({8}, {2}, {}, window_pad::of({-1}, {1})), "pad: front[0] is -1, at least 0 is allowed");
  EXPECT_EQ(why({7}, {2}, {}, {}), "pad: axis 0 has 7 points with padding, which is not a multiple of its window 2");
  EXPECT_EQ(why({4}, {2}, {}, {}), "rows: 8 is the size of index, but there are 4 rows");
  EXPECT_EQ(why({INT64_MAX}, {1}, {}, window_pad::of({1}, {0})), "pad: axis 0 has more than 2^63 points");
  EXPECT_EQ(why({INT64_MAX, 2}, {1, 1}, {}, {}), "dims: more than 2^63 rows");
  EXPECT_THAT(why({8}, {2}, {}, {static_cast<window_pad::kind>(9), {}, {}}), HasSubstr("kind 9"));
  std::int32_t* none = nullptr;
  EXPECT_EQ(window_index({8}, {2}, {}, {}, none, 8).message(), "index: is null, but there are 8 rows");
  EXPECT_EQ(window_index({1, std::int64_t{1} << 32}, {1, 1}, {}, {}, index, std::int64_t{1} << 32).message(),
            "index: a number of 32 bits cannot hold 4294967296 rows");
  EXPECT_FALSE(window_rows({7}, {2}).ok());
}

// An axis without points leaves nothing to do, however many the others have.
TEST(window, nothing_takes_no_time) {
  constexpr std::int64_t many = std::int64_t{1} << 40;
  std::int64_t* none = nullptr;
  EXPECT_TRUE(window_index({many, 0}, {1, 1}, {}, window_pad::none(), none, 0).ok());
  EXPECT_TRUE(window_restore_index({0}, {1}, {}, window_pad::of({0}, {many}), none, 0).ok());
}

}  // namespace
}  // namespace rowsmith
