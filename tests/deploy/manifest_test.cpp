// Manifest lines: a request, written and read again, is of the same class; anything else is refused with a reason.
#include "deploy/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "call/causal_view.h"
#include "inspect/inspect.h"
#include "model/op_table.h"
#include "support/elementwise_cases.h"
#include "unit/rooms/requests.h"

namespace rowsmith {
namespace {

using testing::HasSubstr;

shape_class class_of(const request& r) {
  facts f;
  const status s = inspect(r, &f);
  EXPECT_TRUE(s.ok()) << s.to_string();
  return f.fixed;
}

// Masks that broadcast, a causal limit, a log-sum-exp, rows that an index picks: what only the general door can say.
std::vector<request> requests_of_many_operands() {
  using test::at;
  constexpr std::uintptr_t apart = 0x10000000000;
  const tensor_view x = dense(at(apart), dtype::f16, {4, 8, 64}), y = dense(at(2 * apart), dtype::f32, {4, 8, 64});
  std::vector<request> all;
  request masked;
  masked.op = op_id::softmax;
  masked.options = 1 << option_mask_form;
  masked.param[first_op_param] = 0.5f;  // no part of the class
  masked.add(role::x, x);
  masked.add(role::mask, dense(at(3 * apart + 1), dtype::b8, {8, 1}));
  masked.add(role::bias, dense(at(4 * apart + 2), dtype::f16, {64}));
  masked.add(role::causal, causal_view(y, -1, 1 << 20));
  masked.add(role::y, y);
  masked.add(role::lse, dense(at(5 * apart), dtype::f32, {4, 8}));
  all.push_back(masked);

  request same_number = masked;  // a causal offset that is an operand's address says nothing
  same_number.operands[3].view.data = masked.operands[0].view.data;
  all.push_back(same_number);

  request picked;
  picked.op = op_id::softmax;
  picked.add(role::x, dense(at(apart), dtype::bf16, {100, 64}), 2);
  picked.add(role::y, dense(at(2 * apart), dtype::bf16, {8, 64}));
  picked.add(role::index, dense(at(3 * apart), dtype::i32, {8}));
  all.push_back(picked);
  return all;
}

std::vector<request> some_requests() {
  using test::softmax_of;
  using test::x_base;
  using test::y_base;
  std::vector<request> all = {softmax_of({4, 32, 512, 512}), softmax_of({7}),
                              softmax_of({33, 1000}, dtype::f32, dtype::bf16)};
  for (const std::uintptr_t x : {0, 2, 6, 8}) {
    for (const std::uintptr_t y : {0, 2, 14}) {
      all.push_back(softmax_of({12, 49}, dtype::f16, dtype::f16, x_base + x, y_base + y));
    }
  }
  all.push_back(softmax_of({64, 128}, dtype::f16, dtype::f16, x_base, x_base));  // in place
  all.back().options = 1;
  request strided = softmax_of({8, 16, 64}, dtype::f32, dtype::f32);
  strided.axis = 1;
  strided.operands[0].view.stride[0] = -4096;
  strided.operands[0].view.data = test::at(x_base + 8 * 4096 * 4);
  all.push_back(strided);
  request broadcast = softmax_of({8, 16, 64}, dtype::f32, dtype::f32);
  broadcast.operands[0].view.stride[1] = 0;
  all.push_back(broadcast);
  for (request r : requests_of_many_operands()) all.push_back(r);
  for (const test::elementwise_case& c : test::elementwise_cases()) all.push_back(test::request_of(c));
  return all;
}

TEST(manifest, an_expression_travels_as_its_words) {
  const expression e = expression::make({silu(arg(0)) * arg(1), arg(0) - param(2)}).value();
  const tensor_view a = dense(test::at(test::x_base), dtype::f16, {8, 8}),
                    b = dense(test::at(test::y_base), dtype::f16, {8, 8});
  const const_tensor_view in[] = {a, a};
  tensor_view out[] = {b, b};
  out[1].data = test::at(test::y_base + 4096);
  request r;
  ASSERT_TRUE(elementwise_request(e, in, 2, out, 2, {}, {}, &r).ok());
  const std::string line = to_line(r);
  EXPECT_THAT(line, HasSubstr("\"pre\":[" + std::to_string(e.words()[0]) + ","));
  EXPECT_EQ(parse_line(line).value().pre, e.id());

  const auto refused = [](std::string text, const std::string& from, const std::string& to, const char* why) {
    text.replace(text.find(from), from.size(), to);
    EXPECT_THAT(parse_line(text).status().message(), HasSubstr(why)) << text;
  };
  refused(line, "\"pre\":[", "\"pre\":[255,", "pre");
  refused(line, "\"pre\":[", "\"pre\":[-1,", "pre");
  refused(line, "\"pre\":[", "\"post\":[", "expression");
  refused(line, "\"op\":\"elementwise\"", "\"op\":\"copy\"", "copy");
}

TEST(manifest, a_line_read_again_is_of_the_same_class) {
  for (const request& r : some_requests()) {
    const std::string line = to_line(r);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    const result<request> again = parse_line(line);
    ASSERT_TRUE(again.ok()) << line << again.status().to_string();
    EXPECT_EQ(class_of(r), class_of(*again)) << line;
    EXPECT_EQ(line, to_line(*again));
  }
}

TEST(manifest, nothing_of_a_calls_numbers_is_written) {
  const std::vector<request> all = requests_of_many_operands();
  const std::string line = to_line(all[0]);
  EXPECT_EQ(line, to_line(all[1])) << "a causal offset";
  EXPECT_EQ(line.find("1048576"), std::string::npos) << line;
  request scaled = all[0];
  scaled.param[first_op_param] = 3;
  EXPECT_EQ(line, to_line(scaled)) << "a scalar";
  EXPECT_THAT(to_line(all[2]), HasSubstr("\"rows_from\":2"));
}

TEST(manifest, sets_of_axes_are_numbers) {
  std::string line = to_line(test::softmax_of({4, 512}));
  for (const auto& [axis, problem] : {std::pair{"255", "axis"}, {"256", "whole number"}, {"-9", "whole number"}}) {
    std::string other = line;
    other.replace(other.find("\"axis\":-1"), 9, std::string("\"axis\":") + axis);
    EXPECT_THAT(parse_line(other).status().message(), HasSubstr(problem));
  }
}

TEST(manifest, operands_without_memory_have_no_address) {
  std::string line = to_line(requests_of_many_operands()[0]);
  const std::size_t causal = line.find("\"causal\"");
  std::string based = line;
  based.insert(line.find('}', causal), ",\"base\":8");
  EXPECT_THAT(parse_line(based).status().message(), HasSubstr("no memory"));
  std::string same = line;
  same.insert(line.find('}', line.find("\"y\"")), ",\"same_as\":3");
  EXPECT_THAT(parse_line(same).status().message(), HasSubstr("no memory"));
  std::string nowhere = to_line(requests_of_many_operands()[2]);
  nowhere.replace(nowhere.find("\"rows_from\":2"), 13, "\"rows_from\":1");
  EXPECT_THAT(parse_line(nowhere).status().message(), HasSubstr("no index"));
}

TEST(manifest, strides_and_bases_may_be_left_out) {
  const auto r = parse_line(R"({"rowsmith":1,"op":"softmax","options":0,"note":"by hand","operands":[
    {"role":"x","dtype":"f16","shape":[4,512]},{"role":"y","dtype":"f16","shape":[4,512]}]})");
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  EXPECT_EQ(class_of(*r), class_of(test::softmax_of({4, 512})));
}

TEST(manifest, refusals_say_why) {
  const std::string good = to_line(test::softmax_of({4, 512}));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    const auto r = parse_line(line);
    EXPECT_FALSE(r.ok()) << line;
    return r.ok() ? std::string() : r.status().message();
  };
  EXPECT_THAT(with("\"rowsmith\":1", "\"rowsmith\":2"), HasSubstr("form 2"));
  EXPECT_THAT(with("\"op\":\"softmax\"", "\"op\":\"hardmax\""), HasSubstr("hardmax"));
  EXPECT_THAT(with("\"role\":\"x\"", "\"role\":\"q\""), HasSubstr("\"q\""));
  EXPECT_THAT(with("\"dtype\":\"f16\"", "\"dtype\":\"f17\""), HasSubstr("f17"));
  EXPECT_THAT(with("[4,512]", "[4,512,1,1,1,1,1,1,1]"), HasSubstr("at most 8"));
  EXPECT_THAT(with("[4,512]", "[4,-512]"), HasSubstr("shape"));
  EXPECT_THAT(with("[512,1]", "[512]"), HasSubstr("stride"));
  EXPECT_THAT(with("[512,1]", "[99999999999999,1]"), HasSubstr("stride"));
  EXPECT_THAT(with("[4,512]", "[1099511627776,512]"), HasSubstr("2^44"));
  EXPECT_THAT(with("\"base\":0", "\"base\":16"), HasSubstr("base"));
  EXPECT_THAT(with("\"base\":0", "\"base\":0.5"), HasSubstr("base"));
  EXPECT_THAT(with("\"axis\":-1", "\"axis\":-3"), HasSubstr("axis"));
  EXPECT_THAT(with("\"axis\":-1", "\"axes\":-1"), HasSubstr("axes"));
  EXPECT_THAT(with("\"axis\":-1", "\"axis\":[[[[[1]]]]]"), HasSubstr("nested"));
  EXPECT_THAT(with("\"options\":0", "\"options\":-1"), HasSubstr("options"));
  EXPECT_THAT(with("\"base\":0", "\"same_as\":0"), HasSubstr("same_as"));
}

TEST(manifest, one_entry_a_class_and_every_bad_line_told) {
  const std::string a = to_line(test::softmax_of({4, 512})), b = to_line(test::softmax_of({9, 512}));
  const manifest m =
      parse_manifest("# by hand\n" + a + "\n{}\n" + b + to_line(test::softmax_of({4, 513})) + a.substr(0, 20));
  ASSERT_EQ(m.entries.size(), 2u) << "rows make no class";
  EXPECT_EQ(m.entries[0].line, 2);
  EXPECT_EQ(m.entries[1].line, 6);
  ASSERT_EQ(m.problems.size(), 2u);
  EXPECT_EQ(m.problems[0].line, 4);
  EXPECT_EQ(m.problems[1].line, 7);
}

TEST(manifest, absent_is_not_found) {
  EXPECT_EQ(read_manifest("no/such/requests.jsonl").status().error(), code::not_found);
}

// Bytes changed, cut and spliced: never a crash, and what is taken is something that inspection takes and that a line
// can be written for.
TEST(manifest, survives_any_bytes) {
  std::vector<std::string> seeds;
  for (const request& r : some_requests()) seeds.push_back(to_line(r));
  std::mt19937 draw(1);
  const std::string tokens[] = {"-1",      "9223372036854775808", "1e300", "null", "[", "{", "\"",
                                "\\u0000", "1099511627776",       "]}"};
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string line = seeds[draw() % seeds.size()];
    for (int n = 1 + static_cast<int>(draw() % 3); n-- > 0;) {
      const std::size_t at = draw() % line.size();
      switch (draw() % 4) {
        case 0:
          line[at] = static_cast<char>(draw());
          break;
        case 1:
          line.erase(at, draw() % 9);
          break;
        case 2:
          line.insert(at, tokens[draw() % std::size(tokens)]);
          break;
        default:
          line.replace(at, 1, std::to_string(draw() % 100));
          break;
      }
      if (line.empty()) line = "{";
    }
    const auto r = parse_line(line);
    if (!r) continue;
    ++taken;
    const auto again = parse_line(to_line(*r));
    ASSERT_TRUE(again.ok()) << line << "\n" << to_line(*r) << again.status().to_string();
    ASSERT_EQ(class_of(*r), class_of(*again)) << line;
  }
  EXPECT_GT(taken, 100);
  std::string deep(100000, '[');
  EXPECT_FALSE(parse_line(deep).ok());
}

}  // namespace
}  // namespace rowsmith
