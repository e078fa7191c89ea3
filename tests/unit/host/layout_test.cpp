// Rows that do not lie side by side: run-time inner strides, one element for a whole row, several outer axes,
// backwards.
#include <fmt/format.h>

#include <random>

#include "support.h"

namespace rowsmith::host_test {
namespace {

class softmax_layouts : public testing::TestWithParam<toolchain> {};

std::string text_of(const std::string& entry, int width, const char* keep, const char* x, const char* y) {
  return fmt::format(
      "RS_KERNEL {}(const row_args<2, 7>* args, i64 begin, i64 end) {{ simd<{}, keep::{}, false>::run(*args, begin, "
      "end, "
      "softmax<exp_fast, plain, no_mask>{{scalars_of(*args)}}, input<0, f16, {}, 2>{{}}, none{{}}, none{{}}, none{{}}, "
      "output<1, bf16, {}, 2>{{}}, none{{}}); }}\n",
      entry, width, keep, x, y);
}

// Every row of the call against the reference, read back through the same strides.
void check_all(const argument_block& a, dtype ty, const std::vector<double>& before) {
  for (std::int64_t row = 0; row < a.rows; ++row) {
    std::int64_t rest = row, at[2] = {0, 0};
    for (int axis = 6; axis >= 0; --axis) {
      for (int k = 0; k < 2; ++k) at[k] += rest % a.extent[axis] * a.op[k].stride[axis];
      rest /= a.extent[axis];
    }
    std::vector<double> x, got;
    for (std::int64_t i = 0; i < a.width; ++i) {
      x.push_back(before[static_cast<std::size_t>(at[0] + i * a.op[0].inner_stride)]);
      got.push_back(get(a.op[1].data, ty, at[1] + i * a.op[1].inner_stride));
    }
    ASSERT_TRUE(within(softmax_reference(x, ty, false), got)) << "row " << row;
  }
}

constexpr int layout_widths[] = {1, 5, 16, 37};
constexpr const char* keeps[] = {"values", "storage", "nothing"};

std::string entry_of(const char* what, int width, const char* keep) {
  return fmt::format("{}_{}_{}", what, width, keep);
}

// [3, 2, 4] rows. "in": x is [3, width, 2, 4], its inner stride 8, and y dense; "out" the other way round; "one": x has
// one element a row.
void check_layouts(const kernels& all, int width, const char* keep) {
  const std::size_t n = static_cast<std::size_t>(24 * width);
  guarded x(n * 2, guarded::place::at_end), y(n * 2, guarded::place::at_end);
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, 3);
  std::vector<double> before;
  for (std::size_t i = 0; i < n; ++i) {
    put(x.data(), dtype::f16, static_cast<std::int64_t>(i), normal(random));
    before.push_back(get(x.data(), dtype::f16, static_cast<std::int64_t>(i)));
  }
  argument_block a;
  a.rows = 24;
  a.width = width;
  a.extent[4] = 3, a.extent[5] = 2, a.extent[6] = 4;
  const argument_block::operand across{x.data(), 2, {0, 0, 0, 0, 8 * width, 4, 1}, 8};
  const argument_block::operand along{x.data(), 2, {0, 0, 0, 0, 8 * width, 4 * width, width}, 1};
  const argument_block::operand one{x.data(), 2, {0, 0, 0, 0, 8, 4, 1}, 0};
  argument_block::operand out_along = along, out_across = across;
  out_along.data = out_across.data = y.data();
  struct call {
    const char* what;
    argument_block::operand in, out;
  };
  for (const call& c : {call{"in", across, out_along}, call{"out", along, out_across}, call{"one", one, out_along}}) {
    a.op[0] = c.in;
    a.op[1] = c.out;
    ASSERT_TRUE(launch(*all.load(entry_of(c.what, width, keep)), a).ok());
    check_all(a, dtype::bf16, before);
    if (testing::Test::HasFatalFailure()) FAIL() << entry_of(c.what, width, keep);
  }
}

TEST_P(softmax_layouts, strided_broadcast_and_many_axes) {
  std::string text;
  for (const int width : layout_widths) {
    for (const char* keep : keeps) {
      text += text_of(entry_of("in", width, keep), width, keep, "strided", "contiguous") +
              text_of(entry_of("out", width, keep), width, keep, "contiguous", "strided") +
              text_of(entry_of("one", width, keep), width, keep, "broadcast", "contiguous");
    }
  }
  const kernels all(GetParam(), text, entry_of("in", layout_widths[0], keeps[0]));
  ASSERT_TRUE(all.ok());
  for (const int width : layout_widths) {
    for (const char* keep : keeps) check_layouts(all, width, keep);
  }
}

TEST_P(softmax_layouts, negative_strides) {
  const int width = 37, rows = 9;
  const kernels all(GetParam(), text_of("backwards", width, "values", "strided", "contiguous"), "backwards");
  ASSERT_TRUE(all.ok());
  guarded x(rows * width * 2, guarded::place::at_begin), y(rows * width * 2, guarded::place::at_begin);
  for (int i = 0; i < rows * width; ++i) put(x.data(), dtype::f16, i, i % 11 - 5);
  argument_block a;
  a.rows = rows;
  a.width = width;
  a.extent[6] = rows;
  // The first row is the last in memory, and every row is read from its end.
  a.op[0] = {static_cast<char*>(x.data()) + (rows * width - 1) * 2, 2, {0, 0, 0, 0, 0, 0, -width}, -1};
  a.op[1] = {y.data(), 3, {0, 0, 0, 0, 0, 0, width}, 1};
  ASSERT_TRUE(launch(*all.load("backwards"), a).ok());
  for (int r = 0; r < rows; ++r) {
    std::vector<double> in, got;
    for (int i = 0; i < width; ++i) {
      in.push_back(get(x.data(), dtype::f16, rows * width - 1 - r * width - i));
      got.push_back(get(y.data(), dtype::bf16, r * width + i));
    }
    ASSERT_TRUE(within(softmax_reference(in, dtype::bf16, false), got)) << "row " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(machines, softmax_layouts, testing::ValuesIn(toolchains()),
                         [](const auto& info) { return name_of(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(softmax_layouts);

}  // namespace
}  // namespace rowsmith::host_test
