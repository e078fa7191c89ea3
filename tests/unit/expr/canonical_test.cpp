// The canonical form: the same mathematics is the same words, and no other is.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "model/expression/fragment.h"
#include "model/expression/intern.h"
#include "model/expression/opcode.h"

namespace rowsmith {
namespace {

expression made(const expr& e) { return expression::make(e).value(); }

TEST(expression_words, are_frozen) {
  const std::vector<std::uint64_t> want = {
      0x00000002'00000002,  // param(2): of the sum's operands the one of fewer words
      0x00000001'00000001,  // arg(1): of the product's
      0x00000000'00000001,  // arg(0)
      0x00000000'00000218,  // sigmoid of word 2
      0x00000000'00030142,  // word 1 * word 3
      0x00000000'00040040,  // word 0 + word 4
      0x00000000'00000504,  // output 0
  };
  EXPECT_EQ(made(sigmoid(arg(0)) * arg(1) + param(2)).words(), want);
}

TEST(expression_words, ids_are_frozen) {
  const expression_id id = made(sigmoid(arg(0)) * arg(1) + param(2)).id();
  EXPECT_EQ(id.word[0], 5992300931653868660u);
  EXPECT_EQ(id.word[1], 6552111350496664767u);
  EXPECT_NE(made(arg(0)).id(), made(arg(1)).id());
  EXPECT_FALSE(static_cast<bool>(expression_id{}));
}

TEST(expression_words, what_commutes_is_ordered) {
  const expr a = exp(arg(0)), b = arg(1);
  EXPECT_EQ(made(a + b), made(b + a));
  EXPECT_EQ(made(a * b), made(b * a));
  EXPECT_EQ(made(min(a, b)), made(min(b, a)));
  EXPECT_EQ(made(max(a, b)), made(max(b, a)));
  EXPECT_EQ(made(a == b), made(b == a));
  EXPECT_EQ(made(a != b), made(b != a));
  EXPECT_EQ(made(logical_and(a, b)), made(logical_and(b, a)));
  EXPECT_EQ(made(logical_or(a, b)), made(logical_or(b, a)));
  EXPECT_EQ(made((a + b) * (b * a)), made((a * b) * (b + a)));
  EXPECT_EQ(made(a > b), made(b < a));
  EXPECT_EQ(made(a >= b), made(b <= a));
  EXPECT_NE(made(a - b), made(b - a));
  EXPECT_NE(made(a / b), made(b / a));
  EXPECT_NE(made(a < b), made(b < a));
  EXPECT_NE(made(pow(a, b)), made(pow(b, a)));
}

TEST(expression_words, nothing_that_changes_rounding_is_done) {
  const expr a = arg(0), b = arg(1), c = arg(2);
  EXPECT_NE(made((a + b) + c), made(a + (b + c)));
  EXPECT_NE(made((a * b) * c), made(a * (b * c)));
  EXPECT_NE(made(a + 0.0f), made(a));
  EXPECT_NE(made(a * 1.0f), made(a));
  EXPECT_NE(made(-(-a)), made(a));
  EXPECT_NE(made(constant(1) + constant(2)), made(constant(3)));
  EXPECT_NE(made(cast(cast(a, dtype::f16), dtype::bf16)), made(cast(a, dtype::bf16)));
  EXPECT_NE(made(constant(0.0f)), made(constant(-0.0f)));
  EXPECT_EQ(made(cast(a, dtype::f32)), made(a));
  EXPECT_EQ(made(constant(NAN)), made(constant(-NAN)));
}

TEST(expression_words, equal_parts_are_there_once) {
  expr e = arg(0);
  for (int i = 0; i < 60; ++i) e = e * e;  // a tree of 2^60 leaves
  EXPECT_EQ(made(e).words().size(), 62u);
  const auto two = expression::make({exp(arg(0)) + 1.0f, exp(arg(0)) * arg(1)}).value();
  EXPECT_EQ(two.words().size(), 8u);  // arg, exp, constant, add; arg, multiply; two outputs
  EXPECT_EQ(two.output_count(), 2);
}

TEST(expression_words, counts) {
  const auto e = expression::make({arg(2) + param(1), constant(3), arg(5) * arg(2)}).value();
  EXPECT_EQ(e.output_count(), 3);
  EXPECT_EQ(e.argument_count(), 6);
  EXPECT_EQ(e.parameter_count(), 2);
  EXPECT_EQ(e.arguments_of(0), 0b100u);
  EXPECT_EQ(e.arguments_of(1), 0u);
  EXPECT_EQ(e.arguments_of(2), 0b100100u);
  EXPECT_EQ(expression::make(e.output(2)).value(), made(arg(5) * arg(2)));
}

TEST(expression_words, refusals_name_the_part) {
  const auto why = [](const expr& e) {
    const auto r = expression::make(e);
    EXPECT_FALSE(r.ok());
    EXPECT_EQ(r.status().error(), code::invalid_argument);
    return r.status().message();
  };
  EXPECT_EQ(why(exp(arg(8)) + 1), "expression: there is no arg(8), only 0 to 7");
  EXPECT_EQ(why(2 * arg(-1)), "expression: there is no arg(-1), only 0 to 7");
  EXPECT_EQ(why(param(4)), "expression: there is no param(4), only 0 to 3");
  EXPECT_EQ(why(cast(arg(0), dtype::i32)), "expression: cast to i32 is not allowed, only to f32, f16 and bf16");
  EXPECT_EQ(why(gradient(arg(0), 8)), "expression: gradient with respect to arg(8): there is only 0 to 7");
  EXPECT_EQ(why(gradient(arg(9), 0)), "expression: there is no arg(9), only 0 to 7");
  expr long_one = arg(0);
  for (int i = 0; i < 100000; ++i) long_one = exp(long_one);  // not deep either: nothing recurses
  EXPECT_EQ(why(long_one), "expression: it takes more than 64 instructions, its outputs counted");
  EXPECT_EQ(why(gradient(long_one, 0)), "expression: it takes more than 64 instructions, its outputs counted");
}

TEST(expression_words, as_many_as_fit) {
  expr e = arg(0);
  for (int i = 0; i < 62; ++i) e = exp(e);
  EXPECT_EQ(made(e).words().size(), 64u);
  EXPECT_FALSE(expression::make(exp(e)).ok());
  EXPECT_FALSE(expression::make({e, e}).ok());
  EXPECT_FALSE(expression::make(nullptr, 0).ok());
  EXPECT_TRUE(expression::make(std::vector<expr>(8, arg(0)).data(), 8).ok());
  EXPECT_FALSE(expression::make(std::vector<expr>(9, arg(0)).data(), 9).ok());
}

TEST(expression_words, moved_from_is_still_whole) {
  expr a = arg(0);
  const expr b = std::move(a);
  EXPECT_EQ(made(a), made(b));
  expression x = made(b);
  const expression y = std::move(x);
  EXPECT_EQ(x, y);
}

TEST(opcodes, are_in_their_ranges_and_once) {
  std::set<opcode> seen;
  for (const opcode_row& r : all_opcodes()) {
    EXPECT_TRUE(seen.insert(r.op).second) << r.name;
    EXPECT_EQ(&describe(r.op), &r);
    const int value = static_cast<int>(r.op);
    EXPECT_EQ(r.operands, r.op == opcode::output ? 1 : value < 16 ? 0 : value < 64 ? 1 : value < 128 ? 2 : 3) << r.name;
    EXPECT_TRUE(!r.commutes || r.operands == 2) << r.name;
  }
  EXPECT_EQ(find_opcode(0), nullptr);
  EXPECT_EQ(find_opcode(255), nullptr);
}

TEST(interned, is_found_and_stays) {
  const auto e = made(silu(arg(0)) * arg(1));
  EXPECT_EQ(find(e.id()), nullptr);
  EXPECT_EQ(intern(e), e.id());
  const expression* first = find(e.id());
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(*first, e);
  for (int i = 0; i < 1000; ++i) intern(made(arg(0) + static_cast<float>(i)));
  EXPECT_EQ(intern(made(arg(1) * silu(arg(0)))), e.id());
  EXPECT_EQ(find(e.id()), first);
  EXPECT_EQ(find(expression_id{}), nullptr);
}

}  // namespace
}  // namespace rowsmith
