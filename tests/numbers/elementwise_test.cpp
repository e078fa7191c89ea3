// Elementwise calls: values, layouts, sizes. Every test checks every element and every byte around.
#include <gtest/gtest.h>

#include <cfloat>

#include "support/elementwise_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr dtype h = dtype::f16, b = dtype::bf16, f = dtype::f32, mask = dtype::b8;
constexpr dtype float_types[] = {h, b, f};

class elementwise_numbers : public on_device {};

// One unary function of these numbers, in fp32.
std::vector<float> values_of(const expr& e, const std::vector<float>& x, dtype type = f) {
  const dims shape = {static_cast<std::int64_t>(x.size())};
  return check_elementwise({{e}, {{type, shape, {}, {}, x}}, {{type, shape}}, {}}).at(0);
}

TEST_F(elementwise_numbers, sizes_of_every_remainder) {
  for (const dtype type : float_types) {
    for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 255, 2047, 2049, 4096, 8193, 100003}) {
      check_elementwise({{silu(arg(0))}, {{type, {n}}}, {{type, {n}}}, {}});
    }
  }
}

TEST_F(elementwise_numbers, mixed_types_in_and_out) {
  for (const dtype in : float_types) {
    for (const dtype out : float_types) {
      for (const int phase : {0, 1, 3}) {
        check_elementwise({{gelu_tanh(arg(0)) + 1.0f},
                           {{in, {4099}, {}, {edge::end, phase}}},
                           {{out, {4099}, {}, {edge::end, phase}}},
                           {}});
      }
    }
  }
}

TEST_F(elementwise_numbers, F16_F17_bases_at_any_element_each_in_its_own_way) {
  for (const auto& [x, y, z] :
       {std::tuple{1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {3, 2, 1}, {7, 7, 2}, {5, 6, 5}}) {
    for (const std::int64_t n : {1, 5, 20, 47, 1000, 5003}) {
      for (const edge tight : {edge::begin, edge::end}) {
        check_elementwise({{sigmoid(arg(0) + arg(1))},
                           {{b, {n}, {}, {tight, x}}, {b, {n}, {}, {tight, y}}},
                           {{b, {n}, {}, {tight, z}}},
                           {}});
        check_elementwise({{arg(0) * arg(1)},
                           {{f, {n}, {}, {tight, x % 4}}, {h, {n}, {}, {tight, y}}},
                           {{b, {n}, {}, {tight, z}}},
                           {}});
      }
    }
  }
}

TEST_F(elementwise_numbers, F8_F9_inputs_that_broadcast) {
  const expr e = gelu_erf(arg(0) + arg(1));
  for (const std::int64_t width : {1, 3, 8, 49, 96, 960, 1001}) {
    for (const dtype type : {b, f}) {
      check_elementwise({{e}, {{type, {37, width}}, {type, {width}}}, {{type, {37, width}}}, {}});
      check_elementwise({{e}, {{type, {37, width}}, {type, {37, 1}}}, {{type, {37, width}}}, {}});
      check_elementwise({{e}, {{type, {1, width}}, {type, {37, 1}}}, {{type, {37, width}}}, {}});
      check_elementwise({{e}, {{type, {5, 8, width}}, {type, {8, width}}}, {{type, {5, 8, width}}}, {}});
      check_elementwise({{e}, {{type, {5, 8, width}}, {type, {5, 1, width}}}, {{type, {5, 8, width}}}, {}});
      check_elementwise({{e}, {{type, {5, 8, width}}, {type, {1}}}, {{type, {5, 8, width}}}, {}});
      check_elementwise({{e}, {{type, {9, width}, {0, 1}}, {type, {9, width}, {1, 0}}}, {{type, {9, width}}}, {}});
    }
  }
}

TEST_F(elementwise_numbers, masks_of_one_byte_at_any_base) {
  const expr e = where(arg(1), param(0), arg(0));
  std::vector<float> keep(97);
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = i % 3 == 0;
  for (const int phase : {0, 1, 5, 8}) {
    for (const int x : {0, 1}) {
      elementwise_call c{{e},
                         {{h, {12, 515}, {}, {edge::end, x}}, {mask, {12, 515}, {}, {edge::end, phase}, keep}},
                         {{h, {12, 515}, {}, {edge::end, x}}},
                         {}};
      c.options.param(0, -INFINITY);
      check_elementwise(c);
      c.inputs[1].shape = {515};
      check_elementwise(c);
      c.inputs[1].shape = {12, 1};
      check_elementwise(c);
    }
  }
}

TEST_F(elementwise_numbers, rows_with_gaps_at_every_phase) {
  for (const std::int64_t width : {1, 3, 17, 64, 515, 1024}) {
    for (const int gap : {0, 1, 3, 8}) {
      const dims stride = {width + gap, 1};
      check_elementwise({{relu(arg(0))}, {{b, {23, width}, stride}}, {{b, {23, width}, stride}}, {}});
      check_elementwise({{relu(arg(0))}, {{b, {23, width}, stride, {edge::end, 1}}}, {{b, {23, width}}}, {}});
      check_elementwise({{relu(arg(0))}, {{b, {23, width}}}, {{f, {23, width}, stride}}, {}});
    }
  }
}

TEST_F(elementwise_numbers, F3_F5_permuted_and_negative_strides) {
  const expr e = arg(0) - arg(1);
  for (const dtype type : {h, f}) {
    check_elementwise({{e}, {{type, {33, 70}, {1, 33}}, {type, {33, 70}}}, {{type, {33, 70}}}, {}});
    check_elementwise({{e}, {{type, {33, 70}, {1, 33}}, {type, {33, 70}}}, {{type, {33, 70}, {1, 33}}}, {}});
    check_elementwise({{e}, {{type, {33, 70}, {70, -1}}, {type, {33, 70}, {-70, 1}}}, {{type, {33, 70}}}, {}});
    check_elementwise({{e}, {{type, {33, 70}, {140, 2}}, {type, {33, 70}}}, {{type, {33, 70}, {210, 3}}}, {}});
    check_elementwise({{e}, {{type, {33, 70}, {-70, -1}}, {type, {33, 70}}}, {{type, {33, 70}, {-70, -1}}}, {}});
    check_elementwise({{e},
                       {{type, {4, 5, 6, 7}, {7, 28, 140, 1}}, {type, {4, 1, 6, 7}}},
                       {{type, {4, 5, 6, 7}, {1, 4, 20, 120}}},
                       {}});
  }
  check_elementwise({{e},
                     {{h, {2, 3, 2, 2, 3, 2, 2, 17}, dense_strides({2, 3, 3, 2, 4, 2, 3, 18})}, {h, {17}}},
                     {{h, {2, 3, 2, 2, 3, 2, 2, 17}, dense_strides({2, 4, 2, 3, 3, 3, 2, 19})}},
                     {}});
}

TEST_F(elementwise_numbers, several_outputs_of_several_inputs) {
  const expr x = arg(0), y = arg(1), z = arg(2);
  for (const int phase : {0, 1}) {
    const placement at{edge::end, phase};
    check_elementwise({{x + y, x - y, silu(x) * z, expr(2.5f)},
                       {{b, {3001}, {}, at}, {b, {3001}, {}, at}, {f, {1}}},
                       {{b, {3001}, {}, at}, {f, {3001}}, {h, {3001}, {}, at}, {b, {3001}}},
                       {}});
  }
  expr sum = arg(0);
  std::vector<operand_call> eight(8, {b, {777}});
  for (int i = 1; i < 8; ++i) sum = sum + arg(i);
  check_elementwise({{sum}, eight, {{b, {777}}}, {}});
  check_elementwise({{arg(0) * arg(3)}, {{b, {777}}, {b, {5}}, {b, {5}}, {b, {777}}}, {{b, {777}}}, {}});  // unread
}

TEST_F(elementwise_numbers, I17_in_place) {
  const expr x = arg(0), y = arg(1);
  for (const int phase : {0, 1}) {
    for (const dtype type : {b, f}) {
      const operand_call a{type, {2049}, {}, {edge::end, phase}};
      check_elementwise({{relu(x + y)}, {a, a}, {{type, {2049}, {}, {}, {}, 0}}, {}});
      check_elementwise({{x + y, x - y}, {a, a}, {{type, {2049}, {}, {}, {}, 1}, {type, {2049}, {}, {}, {}, 0}}, {}});
      check_elementwise({{x + y, x * y}, {a, {type, {2049}}}, {{type, {2049}, {}, {}, {}, 1}, {f, {2049}}}, {}});
    }
  }
}

TEST_F(elementwise_numbers, J11_J13_gelu_far_below_and_both_forms) {
  const std::vector<float> x = {-100, -3, 3, -5, -10, 0, INFINITY, -INFINITY, NAN};
  EXPECT_TRUE(std::signbit(values_of(gelu_tanh(arg(0)), x)[0]));
  const std::vector<float> by_erf = values_of(gelu_erf(arg(0)), x), by_tanh = values_of(gelu_tanh(arg(0)), x);
  EXPECT_TRUE(std::signbit(by_erf[0]));
  EXPECT_NE(by_erf[1], by_tanh[1]);
  EXPECT_NEAR(by_erf[1], -0.00404969, 1e-8);
  EXPECT_NEAR(by_tanh[1], -0.00363739, 1e-8);
}

TEST_F(elementwise_numbers, J14_J16_subnormal_numbers_are_kept) {
  const std::vector<float> y = values_of(sigmoid(arg(0)), {89, -89});
  EXPECT_EQ(y[0], 1);
  EXPECT_NEAR(y[1], 2.22736e-39f, 1e-44f);
  const float small = 0x1p-127f;
  EXPECT_EQ(values_of((arg(0) + 0.0f) * 1.0f, {small})[0], small);
  EXPECT_EQ(values_of(arg(0) * 1.0f, {small}, b)[0], small);
  EXPECT_EQ(values_of(arg(0) * 1.0f, {0x1p-24f}, h)[0], 0x1p-24f);
}

TEST_F(elementwise_numbers, A18_zero_times_infinity) {
  EXPECT_TRUE(std::isnan(values_of(arg(0) * 0.0f, {-INFINITY})[0]));
}

TEST_F(elementwise_numbers, E2_rounding_to_nearest_even_does_not_drift) {
  tensor x(under_test().where, b, {4096}, {}, {}, output_poison);
  x.write(std::vector<float>(1, 1));
  const expression add = expression::make(arg(0) + 0x1p-8f).value();  // half an ulp: a tie, to even
  for (int i = 0; i < 72; ++i) ASSERT_TRUE(elementwise(add, {x.view()}, {x.view()}).ok());
  ASSERT_TRUE(synchronize(under_test().where).ok());
  x.fetch();
  for (const float v : x.read()) ASSERT_EQ(v, 1);
}

TEST_F(elementwise_numbers, E5_casts_round_and_keep_nan) {
  const std::vector<float> x = {1 + 0x1p-9f, 1 + 0x1.8p-8f, FLT_MAX, NAN, std::bit_cast<float>(0x7f800001u), 70000};
  values_of(cast(arg(0), b), x);
  values_of(cast(arg(0), h), x);
  EXPECT_TRUE(std::isnan(values_of(cast(arg(0), b), x)[4]));
}

TEST_F(elementwise_numbers, E8_silu_is_rounded_only_where_the_expression_says_so) {
  for (const expr& e : {silu(arg(0)) * arg(1), cast(silu(arg(0)), b) * arg(1)}) {
    check_elementwise({{e}, {{b, {5000}}, {b, {5000}}}, {{b, {5000}}}, {}});
    check_elementwise({{e}, {{b, {5000}}, {b, {5000}}}, {{f, {5000}}}, {}});
  }
}

TEST_F(elementwise_numbers, parameters_change_without_a_new_kernel) {
  const placement at{edge::end, 0};
  elementwise_call c{{arg(0) * param(0) + param(3)}, {{f, {1000}, {}, at}}, {{f, {1000}, {}, at}}, {}};
  for (const float p : {1.5f, -0.0f, INFINITY}) {
    c.options.param(0, p).param(3, 2 * p);
    check_elementwise(c);
    if (p != 1.5f) continue;
    const std::uint64_t misses = counters().calls_missed;
    c.options.param(0, 7);
    c.inputs[0].shape = c.results[0].shape = {3333};  // nor does another size
    check_elementwise(c);
    EXPECT_EQ(counters().calls_missed, misses);
  }
}

TEST_F(elementwise_numbers, B1_rows_and_columns_beyond_32_bits) {
  // A giant stride over memory that repeats: x is one element, y is small; the index is what is large.
  if (under_test().on_host()) GTEST_SKIP() << "a call of 2^31 elements takes long here";
  const std::int64_t n = (std::int64_t{1} << 31) + 11;
  tensor x(under_test().where, b, {1}), y(under_test().where, b, {n}, {}, {}, output_poison);
  x.write({3});
  ASSERT_TRUE(elementwise(expression::make(arg(0) * 2.0f).value(), {x.view()}, {y.view()}).ok());
  ASSERT_TRUE(synchronize(under_test().where).ok());
  y.fetch();
  const std::vector<unsigned char> bits = y.bits();
  for (std::size_t i = 0; i < bits.size(); i += 2) ASSERT_EQ(bits[i] | bits[i + 1] << 8, 0x40c0) << i;
}

TEST_F(elementwise_numbers, ready_made_calls) {
  const device where = under_test().where;
  tensor x(where, b, {8, 100}), bias(where, b, {100}), keep(where, mask, {100}),
      y(where, f, {8, 100}, {}, {}, output_poison);
  x.write({1.5f}), bias.write({-0.5f}), keep.write({0, 1});
  const auto first = [&](const status& s) {
    EXPECT_TRUE(s.ok()) << s.to_string() << s.detail();
    EXPECT_TRUE(synchronize(where).ok());
    y.fetch();
    EXPECT_TRUE(y.only_elements_changed());
    return y.read();
  };
  EXPECT_NEAR(first(add_sigmoid(x.view(), bias.view(), y.view()))[799], 0.73105858, 1e-6);
  EXPECT_NEAR(first(silu_mul(x.view(), bias.view(), y.view()))[799], -0.6131808, 1e-6);
  EXPECT_NEAR(first(bias_gelu(x.view(), bias.view(), y.view(), gelu_form::erf))[799], 0.8413447, 1e-6);
  EXPECT_NEAR(first(bias_gelu(x.view(), bias.view(), y.view(), gelu_form::tanh))[799], 0.841192, 1e-6);
  EXPECT_EQ(first(masked_fill(x.view(), keep.view(), -7, y.view()))[799], -7);
  EXPECT_EQ(y.read()[798], 1.5f);
  EXPECT_EQ(first(scale(x.view(), 4, y.view()))[0], 6);
  EXPECT_NEAR(first(power(x.view(), 3, y.view()))[0], 3.375, 1e-6);
}

TEST_F(elementwise_numbers, refusals_name_what_is_wrong) {
  const device where = under_test().where;
  tensor x(where, b, {8, 100}), narrow(where, b, {99}), whole(where, dtype::i32, {8, 100}), y(where, f, {8, 100});
  const expression one = expression::make(arg(0)).value(), two = expression::make(arg(0) + arg(1)).value();
  const expression both = expression::make({arg(0), arg(0) + 1.0f}).value();
  const auto refused = [](const status& s, const char* part) {
    EXPECT_EQ(s.error(), code::invalid_argument) << s.to_string();
    EXPECT_NE(s.message().find(part), std::string::npos) << s.to_string();
  };
  refused(elementwise(two, {x.view()}, {y.view()}), "a0 + a1");
  refused(elementwise(one, {}, {y.view()}), "inputs: 0 given");
  refused(elementwise(both, {x.view()}, {y.view()}), "outputs: 1 given");
  refused(elementwise(one, {x.view()}, {}), "outputs: 0 given");
  refused(elementwise(two, {x.view(), narrow.view()}, {y.view()}), "broadcast");
  refused(elementwise(one, {whole.view()}, {y.view()}), "dtype");
  refused(elementwise(one, {x.view()}, {whole.view()}), "dtype");
  refused(elementwise(one, {y.view()}, {narrow.view()}), "broadcast");
  elementwise_options wrong;
  wrong.struct_size = 3;
  refused(elementwise(one, {x.view()}, {y.view()}, wrong), "struct_size");
  refused(copy(whole.view(), y.view()), "converted");
  tensor_view shifted = y.view();
  shifted.shape[1] = 99;
  tensor_view over = shifted;
  over.data = static_cast<float*>(over.data) + 1;
  refused(copy(over, shifted), "overlaps");
}

}  // namespace
}  // namespace rowsmith::test
