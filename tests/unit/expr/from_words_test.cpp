// Words from outside: every kind of fault is refused with a sentence, whatever is well formed becomes canonical.
#include <gtest/gtest.h>

#include <random>

#include "model/expression/instruction.h"
#include "rowsmith/expr.h"

namespace rowsmith {
namespace {

using words = std::vector<std::uint64_t>;

std::uint64_t word(opcode op, std::uint8_t a = 0, std::uint8_t b = 0, std::uint8_t c = 0, std::uint32_t immediate = 0) {
  return instruction{op, {a, b, c}, immediate}.word();
}
std::uint64_t leaf(opcode op, std::uint32_t immediate) { return word(op, 0, 0, 0, immediate); }
const std::uint64_t x = leaf(opcode::argument, 0), y = leaf(opcode::argument, 1);

result<expression> read(const words& w) { return expression::from_words(w.data(), w.size()); }

struct fault {
  const char* name;
  words given;
  const char* message;
};

class malformed : public testing::TestWithParam<fault> {};

TEST_P(malformed, is_refused) {
  const auto r = read(GetParam().given);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().error(), code::invalid_argument);
  EXPECT_EQ(r.status().message(), std::string("expression: ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    words, malformed,
    testing::Values(
        fault{"none", {}, "0 words, 1 to 64 are allowed"},
        fault{"too_many", words(65, x), "65 words, 1 to 64 are allowed"},
        fault{"no_output", {x}, "0 outputs, 1 to 8 are allowed"}, fault{"zero", {0}, "word 0: there is no opcode 0"},
        fault{"unknown", {x, 200}, "word 1: there is no opcode 200"},
        fault{"itself", {word(opcode::exp)}, "word 0: operand 0 is word 0, which is not before it"},
        fault{"later", {x, word(opcode::add, 0, 2), y}, "word 1: operand 1 is word 2, which is not before it"},
        fault{"far", {x, word(opcode::exp, 255)}, "word 1: operand 0 is word 255, which is not before it"},
        fault{"third", {x, word(opcode::where, 0, 0, 9)}, "word 1: operand 2 is word 9, which is not before it"},
        fault{
            "of_output", {x, word(opcode::output), word(opcode::output, 1, 0, 0, 1)}, "word 2: operand 0 is an output"},
        fault{"spare_operand", {x, x, word(opcode::exp, 0, 1)}, "word 2: exp takes 1 operands"},
        fault{"leaf_operand", {x, word(opcode::argument, 0, 0, 1)}, "word 1: a takes 0 operands"},
        fault{"spare_immediate", {x, word(opcode::exp, 0, 0, 0, 7)}, "word 1: exp takes no immediate, 0x7 is there"},
        fault{"argument", {leaf(opcode::argument, 8)}, "word 0: there is no argument 8, only 0 to 7"},
        fault{"argument_far",
              {leaf(opcode::argument, 0xffffffff)},
              "word 0: there is no argument 4294967295, only 0 to 7"},
        fault{"parameter", {leaf(opcode::parameter, 4)}, "word 0: there is no parameter 4, only 0 to 3"},
        fault{
            "cast", {x, word(opcode::cast, 0, 0, 0, 6)}, "word 1: cast to dtype 6, only f32, f16 and bf16 are allowed"},
        fault{"cast_none", {x, word(opcode::cast)}, "word 1: cast to dtype 0, only f32, f16 and bf16 are allowed"},
        fault{"output_first", {x, word(opcode::output, 0, 0, 0, 1)}, "word 1: output 1 where 0 is due"},
        fault{"output_twice", {x, word(opcode::output), word(opcode::output)}, "word 2: output 0 where 1 is due"},
        fault{"after_output", {x, word(opcode::output), y}, "word 2: a after an output"},
        fault{"nine_outputs",
              {x, word(opcode::output), word(opcode::output, 0, 0, 0, 1), word(opcode::output, 0, 0, 0, 2),
               word(opcode::output, 0, 0, 0, 3), word(opcode::output, 0, 0, 0, 4), word(opcode::output, 0, 0, 0, 5),
               word(opcode::output, 0, 0, 0, 6), word(opcode::output, 0, 0, 0, 7), word(opcode::output, 0, 0, 0, 8)},
              "9 outputs, 1 to 8 are allowed"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(from_words, canonical_words_come_back) {
  for (const auto& e : {expression::make(silu(arg(0)) * arg(1) + param(3)).value(),
                        expression::make({gradient(gelu_tanh(arg(0)), 0), cast(arg(1), dtype::bf16)}).value(),
                        expression::make(where(arg(0) < 0.5f, arg(1), constant(-0.0f))).value()}) {
    const auto again = read(e.words());
    ASSERT_TRUE(again.ok()) << again.status().to_string();
    EXPECT_EQ(*again, e);
    EXPECT_EQ(again->id(), e.id());
  }
}

TEST(from_words, others_are_made_canonical) {
  // b + a, written twice, beside a word that nobody needs, a cast that changes nothing, and a NaN of its own kind.
  const words written = {y,
                         x,
                         word(opcode::exp, 1),
                         word(opcode::add, 1, 0),
                         word(opcode::add, 0, 1),
                         word(opcode::multiply, 4, 3),
                         word(opcode::cast, 5, 0, 0, 1),
                         leaf(opcode::constant, 0xff812345),
                         word(opcode::output, 6),
                         word(opcode::output, 7, 0, 0, 1)};
  const auto e = read(written);
  ASSERT_TRUE(e.ok()) << e.status().to_string();
  const expr sum = arg(0) + arg(1);
  EXPECT_EQ(*e, expression::make({sum * sum, constant(NAN)}).value());
}

// Random words, mostly well formed: what is taken is canonical, and prints.
TEST(from_words, whatever_is_taken_is_canonical) {
  std::mt19937_64 random(7);
  int taken = 0;
  for (int round = 0; round < 3000; ++round) {
    words w;
    const int length = 1 + static_cast<int>(random() % 20);
    for (int at = 0; at < length; ++at) {
      const auto all = all_opcodes();
      const opcode_row& row = all[random() % all.size()];
      if (row.op == opcode::output) continue;
      instruction i{row.op, {}, 0};
      const std::size_t reach = w.size() + (random() % 16 == 0 ? 1 : 0);  // now and then a word that is not before
      if (row.operands != 0 && reach == 0) continue;
      for (int k = 0; k < row.operands; ++k) i.operand[k] = static_cast<std::uint8_t>(random() % reach);
      if (row.immediate != immediate::none) i.immediate = 1 + static_cast<std::uint32_t>(random() % 3);
      w.push_back(i.word());
    }
    w.push_back(word(opcode::output, static_cast<std::uint8_t>(w.empty() ? 0 : w.size() - 1)));
    const auto once = read(w);
    if (!once) continue;
    ++taken;
    const auto again = read(once->words());
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *once);
    EXPECT_LE(once->words().size(), w.size());
    EXPECT_FALSE(once->to_string().empty());
  }
  EXPECT_GT(taken, 500);
}

}  // namespace
}  // namespace rowsmith
