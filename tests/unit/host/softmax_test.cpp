// Rows of every kind of width, on every compiler and CPU form at hand, against float64 within the contract's bound,
// with pages that cannot be touched on both sides of every operand.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <random>

#include "support.h"

namespace rowsmith::host_test {
namespace {

constexpr int widths[] = {1,   2,   3,   7,   8,    15,   16,   17,    31,    33,    49,
                          128, 192, 512, 768, 1000, 1023, 4096, 16384, 65536, 100003};

struct types {
  dtype x, y;
};
constexpr types type_pairs[] = {{dtype::f32, dtype::f32},
                                {dtype::f16, dtype::f16},
                                {dtype::bf16, dtype::bf16},
                                {dtype::f16, dtype::f32},
                                {dtype::f32, dtype::bf16}};

enum class form { values, storage, nothing, streamed_stores, accurate };
constexpr form forms[] = {form::values, form::storage, form::nothing, form::streamed_stores, form::accurate};

// The widths where something changes for a toolchain's packs; all widths only on the first one, for plain types.
std::vector<int> telling_widths(const toolchain& with) {
  const auto has = [&](const char* feature) { return with.target.find(feature) != std::string::npos; };
  int pack = has("avx2") ? 8 : 4;
  if (has("avx512")) pack = 16;
  return {1, pack - 1, pack, pack + 1, 49, 1023, 4096};
}

bool legal(form f, int width, types t) {
  if (f == form::streamed_stores) return t.y == dtype::f32 && width % 16 == 0;
  return true;
}

std::string entry_of(form f, int width, types t) {
  return fmt::format("k{}_{}_{}_{}", static_cast<int>(f), width, name_of(t.x), name_of(t.y));
}

std::string text_of(form f, int width, types t) {
  const char* keep = f == form::storage ? "storage" : f == form::nothing ? "nothing" : "values";
  return fmt::format(
      "RS_KERNEL {}(const row_args<2, 7>* args, i64 begin, i64 end) {{ simd<{}, keep::{}, {}>::run(*args, begin, end, "
      "softmax<{}, plain, no_mask>{{scalars_of(*args)}}, input<0, {}, contiguous, 2>{{}}, none{{}}, none{{}}, "
      "none{{}}, "
      "output<1, {}, contiguous, 2>{{}}, none{{}}); }}\n",
      entry_of(f, width, t), width, keep, f == form::streamed_stores, f == form::accurate ? "exp_accurate" : "exp_fast",
      name_of(t.x), name_of(t.y));
}

class softmax_rows : public testing::TestWithParam<toolchain> {};

// One row of input by kind: what a trained network gives, wide ranges, and the values that arithmetic trips over.
std::vector<double> make_row(int kind, int width, std::mt19937& random) {
  std::normal_distribution<double> normal(0, kind == 1 ? 30 : 2);
  std::vector<double> x(static_cast<std::size_t>(width));
  for (double& v : x) v = normal(random);
  const auto somewhere = static_cast<std::size_t>(random() % x.size());
  switch (kind) {
    case 2:
      x[somewhere] = NAN;
      break;
    case 3:
      x[somewhere] = INFINITY;
      break;
    case 4:
      for (double& v : x) v = -INFINITY;
      break;
    case 5:
      for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -INFINITY;
      if (width == 1) x[0] = 1;
      break;
    case 6:
      for (double& v : x) v = -60000;
      break;
    case 7:
      for (double& v : x) v *= 20000;
      break;
    case 8:
      x.back() = NAN;
      break;
    case 9:
      x.back() = 50;
      break;
    default:
      break;
  }
  return x;
}
constexpr int kinds = 10;

struct placing {
  guarded::place where;
  int shift;  // elements from the guard
  int gap;    // elements between rows
  bool in_place;
};

void check(const loaded_kernel& k, form f, int width, types t, const placing& p) {
  const int rows = kinds;
  const std::int64_t pitch = width + p.gap;
  const std::size_t elements = static_cast<std::size_t>(pitch * (rows - 1) + width + p.shift);
  const guarded x_memory(elements * size_of(t.x), p.where), y_memory(elements * size_of(t.y), p.where);
  const auto skip = p.where == guarded::place::at_begin ? static_cast<std::size_t>(p.shift) : 0;
  void* x = static_cast<char*>(x_memory.data()) + skip * size_of(t.x);
  void* y = static_cast<char*>(y_memory.data()) + skip * size_of(t.y);
  if (p.in_place) y = x;
  std::memset(x_memory.data(), 0xa5, elements * size_of(t.x));
  std::memset(y_memory.data(), 0xa5, elements * size_of(t.y));

  std::mt19937 random(static_cast<unsigned>(width));
  std::vector<std::vector<double>> inputs;
  for (int r = 0; r < rows; ++r) {
    const std::vector<double> row = make_row(r, width, random);
    std::vector<double> stored;
    for (int i = 0; i < width; ++i) {
      put(x, t.x, r * pitch + i, row[static_cast<std::size_t>(i)]);
      stored.push_back(get(x, t.x, r * pitch + i));
    }
    inputs.push_back(std::move(stored));
  }

  argument_block a;
  a.rows = rows;
  a.width = width;
  a.op[0] = {x, static_cast<std::int64_t>(t.x), {0, 0, 0, 0, 0, 0, pitch}, 1};
  a.op[1] = {y, static_cast<std::int64_t>(t.y), {0, 0, 0, 0, 0, 0, pitch}, 1};
  ASSERT_TRUE(launch(k, a).ok());

  for (int r = 0; r < rows; ++r) {
    std::vector<double> got;
    for (int i = 0; i < width; ++i) got.push_back(get(y, t.y, r * pitch + i));
    ASSERT_TRUE(within(softmax_reference(inputs[static_cast<std::size_t>(r)], t.y, f == form::accurate), got))
        << "row kind " << r << ", " << entry_of(f, width, t) << (p.in_place ? ", in place" : "");
    if (r + 1 == rows) break;
    const auto* between = static_cast<unsigned char*>(y) + static_cast<std::size_t>(r * pitch + width) * size_of(t.y);
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.gap) * size_of(t.y); ++i) {
      ASSERT_EQ(between[i], 0xa5) << "byte " << i << " behind row " << r << ", " << entry_of(f, width, t);
    }
  }
}

TEST_P(softmax_rows, every_width_type_and_form) {
  using place = guarded::place;
  for (const types t : type_pairs) {
    for (const form f : forms) {
      // Mixed types differ from plain ones in loads and stores only.
      if (t.x != t.y && f != form::values && f != form::storage) continue;
      const bool all_widths = name_of(GetParam()) == name_of(toolchains()[0]) && t.x == t.y && t.x != dtype::bf16;
      const std::vector<int> chosen =
          all_widths ? std::vector<int>(std::begin(widths), std::end(widths)) : telling_widths(GetParam());
      // A translation unit for each form and pair of types: one of all would take minutes to compile.
      std::string text, first;
      std::vector<int> legal_widths;
      for (const int width : chosen) {
        if (!legal(f, width, t)) continue;
        legal_widths.push_back(width);
        text += text_of(f, width, t);
        if (first.empty()) first = entry_of(f, width, t);
      }
      if (text.empty()) continue;
      const kernels all(GetParam(), text, first);
      if (!all.ok()) return;
      for (const int width : legal_widths) {
        const auto k = all.load(entry_of(f, width, t));
        ASSERT_NE(k, nullptr);
        for (const placing& p : {placing{place::at_end, 0, 0, false}, placing{place::at_begin, 0, 0, false},
                                 placing{place::at_begin, 1, 3, false}, placing{place::at_end, 1, 5, true}}) {
          if (p.in_place && t.x != t.y) continue;
          if (width > 20000 && p.shift == 0 && p.where == place::at_begin) continue;
          check(*k, f, width, t, p);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Bits of a row do not depend on where it lies, nor on which row it is.
TEST_P(softmax_rows, same_bits_at_every_address) {
  const types t{dtype::f16, dtype::f32};
  const int width = 1000;
  const kernels all(GetParam(), text_of(form::values, width, t), entry_of(form::values, width, t));
  ASSERT_TRUE(all.ok());
  const auto k = all.load(entry_of(form::values, width, t));
  std::vector<float> first;
  for (int shift = 0; shift < 9; ++shift) {
    std::vector<std::uint16_t> x(width + 16);
    std::vector<float> y(width + 16);
    for (int i = 0; i < width; ++i)
      x[static_cast<std::size_t>(i + shift)] = static_cast<std::uint16_t>(0x3c00 + i * 7919 % 900);
    argument_block a;
    a.rows = 1;
    a.width = width;
    a.op[0].data = x.data() + shift;
    a.op[1].data = y.data() + shift;
    ASSERT_TRUE(launch(*k, a).ok());
    const std::vector<float> got(y.begin() + shift, y.begin() + shift + width);
    if (first.empty()) first = got;
    EXPECT_EQ(std::memcmp(first.data(), got.data(), width * sizeof(float)), 0) << "shift " << shift;
  }
}

// A call large enough for stores past the caches, where rows are whole lines and where they begin in the middle of one.
TEST_P(softmax_rows, streamed_stores) {
  const types t{dtype::f32, dtype::f32};
  const int width = 512, rows = 4200;
  const std::size_t n = std::size_t{rows} * width;
  const kernels all(GetParam(), text_of(form::streamed_stores, width, t), entry_of(form::streamed_stores, width, t));
  ASSERT_TRUE(all.ok());
  const auto k = all.load(entry_of(form::streamed_stores, width, t), 64);
  for (const std::size_t shift : {0, 1}) {
    const guarded x((n + shift) * 4, guarded::place::at_end), y((n + shift) * 4, guarded::place::at_end);
    auto* in = static_cast<float*>(x.data());
    auto* out = static_cast<float*>(y.data());
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<float>(i * 7919 % 1000) / 100;
    argument_block a;
    a.rows = rows;
    a.width = width;
    for (auto& o : a.op) o.stride[6] = width;
    a.op[0].data = in;
    a.op[1].data = out;
    ASSERT_TRUE(launch(*k, a).ok());
    for (std::size_t r = 0; r < rows; ++r) {
      const std::vector<double> row(in + r * width, in + (r + 1) * width), got(out + r * width, out + (r + 1) * width);
      ASSERT_TRUE(within(softmax_reference(row, dtype::f32, false), got)) << "row " << r << ", shift " << shift;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(machines, softmax_rows, testing::ValuesIn(toolchains()),
                         [](const auto& info) { return name_of(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(softmax_rows);

}  // namespace
}  // namespace rowsmith::host_test
