// The command's own parts: rounding, drawn numbers, the float64 comparison.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "cli/expression_parser.h"
#include "cli/number.h"
#include "cli/op_check.h"
#include "cli/op_setup.h"
#include "cli/tensor_maker.h"

namespace rowsmith::cli {
namespace {

TEST(number, every_f16_survives_the_way_through_float) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto h = static_cast<std::uint16_t>(bits);
    if ((h & 0x7FFF) > 0x7C00) {
      EXPECT_TRUE(std::isnan(from_f16(h)));
    } else {
      ASSERT_EQ(to_f16(from_f16(h)), h);
    }
  }
}

TEST(number, f16_rounds_to_nearest_even) {
  // Between any two neighbours: the middle goes to the even one, a float beside the middle to its own side.
  for (std::uint16_t h = 0; h < 0x7BFF; ++h) {
    const float low = from_f16(h), high = from_f16(h + 1), middle = low + (high - low) / 2;
    ASSERT_EQ(to_f16(middle), (h & 1) ? h + 1 : h) << h;
    ASSERT_EQ(to_f16(std::nextafter(middle, 0.0f)), h) << h;
    ASSERT_EQ(to_f16(std::nextafter(middle, high)), h + 1) << h;
    ASSERT_EQ(to_f16(-middle), 0x8000 | ((h & 1) ? h + 1 : h)) << h;
  }
  EXPECT_EQ(to_f16(65519.99f), 0x7BFF);
  EXPECT_EQ(to_f16(65520.0f), 0x7C00);
  EXPECT_EQ(to_f16(-std::numeric_limits<float>::infinity()), 0xFC00);
}

TEST(number, bf16_rounds_to_nearest_even) {
  for (std::uint32_t b = 0; b < 0x7F80; ++b) {
    const auto h = static_cast<std::uint16_t>(b);
    ASSERT_EQ(to_bf16(from_bf16(h)), h);
    const std::uint32_t middle = (b << 16) | 0x8000;
    float f;
    std::memcpy(&f, &middle, sizeof f);
    ASSERT_EQ(to_bf16(f), (b & 1) ? b + 1 : b);
  }
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(number, half_ulp) {
  EXPECT_EQ(half_ulp(dtype::f32, 1.0), 0x1p-24);
  EXPECT_EQ(half_ulp(dtype::f16, 0.75), 0x1p-12);
  EXPECT_EQ(half_ulp(dtype::bf16, -1.5), 0x1p-8);
  EXPECT_EQ(half_ulp(dtype::f16, 0.0), 0x1p-25);
  EXPECT_EQ(half_ulp(dtype::f32, 1e-300), 0x1p-150);
}

TEST(random, close_to_the_libraries_logarithm_and_circle) {
  // Box and Muller backwards: radius and angle must give back the uniform numbers' own values.
  const distribution normal, uniform{distribution::shape::uniform, 0, 1};
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const two u = draw(uniform, 3, i), n = draw(normal, 3, i);
    const double radius = std::sqrt(-2 * std::log1p(-u.first)), angle = 2 * std::acos(-1.0) * u.second;
    ASSERT_NEAR(n.first, radius * std::cos(angle), 1e-14 * (1 + radius)) << i;
    ASSERT_NEAR(n.second, radius * std::sin(angle), 1e-14 * (1 + radius)) << i;
  }
}

TEST(random, moments) {
  double sum = 0, squares = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const two d = draw({distribution::shape::normal, 3, 2}, 0, i);
    sum += d.first + d.second;
    squares += (d.first - 3) * (d.first - 3) + (d.second - 3) * (d.second - 3);
  }
  EXPECT_NEAR(sum / (2 * n), 3, 0.02);
  EXPECT_NEAR(squares / (2 * n), 4, 0.05);
}

TEST(random, frozen_values) {
  // The same bits on every machine, today and tomorrow.
  const two d = draw({}, 0, 0), e = draw({}, 42, 1000000007);
  EXPECT_EQ(d.first, -0x1.c14033d8878d5p-2);
  EXPECT_EQ(d.second, -0x1.62d5e9df088dap+0);
  EXPECT_EQ(e.first, 0x1.189a6afd59aa5p-1);
  EXPECT_EQ(e.second, 0x1.281533a69c46ap+0);
}

TEST(tensor_maker, threads_do_not_show) {
  constexpr int n = 100001;
  const host_memory whole = make_tensor(dtype::f32, n, {}, 5);
  for (int i = 0; i < n; i += 997) {
    const two d = draw({}, 5, i / 2);
    EXPECT_EQ(load(whole.data(), dtype::f32, i), static_cast<float>(i % 2 == 0 ? d.first : d.second));
  }
}

// y = softmax(x) along the middle axis of 2x3x2, rounded once to float.
std::vector<float> softmax_of(const std::vector<float>& x) {
  std::vector<float> y(12);
  for (int o = 0; o < 2; ++o) {
    for (int i = 0; i < 2; ++i) {
      const auto at = [&](int j) { return o * 6 + j * 2 + i; };
      const double sum = std::exp(x[at(0)]) + std::exp(x[at(1)]) + std::exp(x[at(2)]);
      for (int j = 0; j < 3; ++j) y[at(j)] = static_cast<float>(std::exp(static_cast<double>(x[at(j)])) / sum);
    }
  }
  return y;
}

op_setup middle_axis() {
  op_words w;
  w.op = "softmax";
  w.shape = "2x3x2";
  w.type = "f32";
  w.axis = "1";
  return *setup_of(w);
}

comparison compare_middle(const std::vector<float>& x, const std::vector<float>& y) {
  const op_setup s = middle_axis();
  std::vector<host_memory> tensors;
  for (const std::vector<float>* values : {&x, &y}) {
    tensors.emplace_back(values->size() * sizeof(float));
    std::memcpy(tensors.back().data(), values->data(), values->size() * sizeof(float));
  }
  return compare(call_tensors(s, tensors));
}

TEST(op_check, accepts_what_is_right_and_sees_what_is_wrong) {
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, -1, 0.5f, 2, -3, 1, 1};
  std::vector<float> y = softmax_of(x);
  EXPECT_LE(compare_middle(x, y).worst_of_bound(), 1);
  EXPECT_EQ(compare_middle(x, y).rows, 4);
  EXPECT_EQ(compare_middle(x, y).rows_checked, 4);
  y[7] += 1e-3f;
  EXPECT_NEAR(compare_middle(x, y).max_abs_err(), 1e-3, 1e-6);
  EXPECT_NEAR(compare_middle(x, y).max_row_sum_err, 1e-3, 1e-6);
  EXPECT_GT(compare_middle(x, y).worst_of_bound(), 1);
}

TEST(op_check, nan_rows_must_be_nan) {
  std::vector<float> x = {0, 1, 2, 3, 4, 5, -1, 0.5f, 2, -3, 1, 1};
  std::vector<float> y = softmax_of(x);
  x[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(compare_middle(x, y).max_abs_err()));
  y[0] = y[2] = y[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LE(compare_middle(x, y).worst_of_bound(), 1);
  x[2] = 2;
  EXPECT_TRUE(std::isinf(compare_middle(x, y).max_abs_err()));
}

TEST(op_setup, shapes_follow_from_the_ops_own_description) {
  for (const op_info& op : known_ops()) {
    op_words w;
    w.op = op.name;
    w.shape = "2x3x5";
    w.type = "f16";
    w.table_rows = "7";
    if (op.name == "elementwise") w.expr = "x + in1";
    for (const op_info::operand& o : op.operands) {
      const bool of_expressions = o.role.substr(0, 2) == "in" && o.role.size() == 3;
      if (o.optional && o.extent != "number" && !of_expressions && o.role.substr(0, 3) != "out") {
        w.with.emplace_back(o.role);
      }
    }
    const auto s = setup_of(w);
    ASSERT_TRUE(s.ok()) << op.name << ": " << s.status().to_string();
    for (const op_info::operand& o : op.operands) {
      const tensor_setup* t = s->find(o.role);
      if (t == nullptr) continue;
      const shape want = !t->rows_from.empty()      ? shape{7, 5}
                         : o.extent == "per_column" ? shape{5}
                         : o.extent == "per_row"    ? shape{2, 3, 1}
                                                    : shape{2, 3, 5};
      EXPECT_EQ(t->extents, want) << op.name << " " << o.role;
      EXPECT_TRUE(std::find(o.dtypes.begin(), o.dtypes.end(), t->type) != o.dtypes.end()) << op.name << " " << o.role;
    }
  }
}

TEST(expression_parser, reads_what_it_prints_like) {
  const std::pair<const char*, expr> pairs[] = {
      {"x", arg(0)},
      {"silu", silu(arg(0))},
      {"silu_mul", silu(arg(0)) * arg(1)},
      {"silu(x) * in1 + p0", silu(arg(0)) * arg(1) + param(0)},
      {"1 - 2 - x", expr(1) - 2 - arg(0)},
      {"1 - (2 - x)", 1 - (expr(2) - arg(0))},
      {"--x*-2", -(-arg(0)) * -expr(2)},
      {"where(x <= in1, max(x, 1e-3), not(x))", where(arg(0) <= arg(1), max(arg(0), 1e-3f), logical_not(arg(0)))},
      {"f16(x / in7)", cast(arg(0) / arg(7), dtype::f16)}};
  for (const auto& [text, want] : pairs) {
    const auto read = parse_expression("--expr", text);
    ASSERT_TRUE(read.ok()) << text << ": " << read.status().to_string();
    EXPECT_EQ(*read, *expression::make(want)) << text << " is " << read->to_string();
  }
  EXPECT_EQ(parse_expression("--expr", "x, x * 2")->output_count(), 2);
  for (const char* text :
       {"", "x +", "x x", "(x", "silu(x, x)", "silu()", "y", "in8", "p4", "x,", "1e99", "cosh(x)", "#"}) {
    const auto read = parse_expression("--pre", text);
    EXPECT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.status().message().substr(0, 5), "--pre") << text;
  }
  EXPECT_FALSE(parse_expression("--expr", std::string(100000, '(')).ok());
  EXPECT_FALSE(parse_expression("--expr", std::string(100000, '-') + "x").ok());
}

}  // namespace
}  // namespace rowsmith::cli
