// The fallback's interpreter, compiled in, against float64.
#include <gtest/gtest.h>

#include <random>

#include "machine/host.h"
#include "scalar/interpreter.h"
#include "support/expression_cases.h"

namespace rowsmith {
namespace {

// The interpreter's own list of opcodes, by the names of the library's.
constexpr std::pair<opcode, int> k_opcodes[] = {
    {opcode::argument, rs::word_op::argument},
    {opcode::parameter, rs::word_op::parameter},
    {opcode::constant, rs::word_op::constant},
    {opcode::output, rs::word_op::output},
    {opcode::negate, rs::word_op::negate},
    {opcode::abs, rs::word_op::abs},
    {opcode::sqrt, rs::word_op::sqrt},
    {opcode::exp, rs::word_op::exp},
    {opcode::log, rs::word_op::log},
    {opcode::log1p, rs::word_op::log1p},
    {opcode::tanh, rs::word_op::tanh},
    {opcode::erf, rs::word_op::erf},
    {opcode::sigmoid, rs::word_op::sigmoid},
    {opcode::silu, rs::word_op::silu},
    {opcode::gelu_tanh, rs::word_op::gelu_tanh},
    {opcode::gelu_erf, rs::word_op::gelu_erf},
    {opcode::relu, rs::word_op::relu},
    {opcode::logical_not, rs::word_op::logical_not},
    {opcode::cast, rs::word_op::cast},
    {opcode::add, rs::word_op::add},
    {opcode::subtract, rs::word_op::subtract},
    {opcode::multiply, rs::word_op::multiply},
    {opcode::divide, rs::word_op::divide},
    {opcode::min, rs::word_op::min},
    {opcode::max, rs::word_op::max},
    {opcode::pow, rs::word_op::pow},
    {opcode::less, rs::word_op::less},
    {opcode::less_equal, rs::word_op::less_equal},
    {opcode::equal, rs::word_op::equal},
    {opcode::not_equal, rs::word_op::not_equal},
    {opcode::logical_and, rs::word_op::logical_and},
    {opcode::logical_or, rs::word_op::logical_or},
    {opcode::where, rs::word_op::where},
};

TEST(interpreter, knows_every_opcode_by_its_value) {
  EXPECT_EQ(std::size(k_opcodes), all_opcodes().size());
  for (const auto& [op, value] : k_opcodes) EXPECT_EQ(static_cast<int>(op), value) << describe(op).name;
  EXPECT_EQ(rs::most_words, max_expression_words);
}

std::vector<float> interpreted(const expression& e, const std::vector<float>& args, const std::vector<float>& params) {
  const std::vector<rs::u64> words(e.words().begin(), e.words().end());
  std::vector<float> outputs(static_cast<std::size_t>(e.output_count()));
  rs::interpret(words.data(), static_cast<int>(words.size()), args.data(), params.data(), outputs.data());
  return outputs;
}

void expect_agreement(const expression& e, const std::vector<float>& args, const std::vector<float>& params) {
  const auto want = test::evaluate(e, std::vector<double>(args.begin(), args.end()),
                                   std::vector<double>(params.begin(), params.end()));
  const auto got = interpreted(e, args, params);
  for (std::size_t n = 0; n < got.size(); ++n) {
    EXPECT_TRUE(test::agrees(want[n], got[n]))
        << e.to_string() << ", output " << n << " of " << args[0] << ", " << args[1];
  }
}

TEST(interpreter, agrees_with_float64) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const test::expression_case& c : test::expression_cases()) {
    SCOPED_TRACE(c.name);
    for (int i = 0; i < 500; ++i) {
      expect_agreement(c.e, {normal(random), 2 * normal(random), normal(random)}, {normal(random), 0.5f});
    }
  }
}

TEST(interpreter, takes_special_values) {
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f, -3e38f};
  for (const test::expression_case& c : test::expression_cases()) {
    if (c.e.words().size() > 5) continue;  // one operation: of more, fp32 may overflow where float64 does not
    SCOPED_TRACE(c.name);
    for (const float a : values) {
      for (const float b : values) expect_agreement(c.e, {a, b, 0.0f}, {0.0f, 0.0f});
    }
  }
}

}  // namespace
}  // namespace rowsmith
