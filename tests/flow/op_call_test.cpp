// op_call: any op by its name. What it understands, and what it refuses with the first thing that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rowsmith/call.h"
#include "rowsmith/ops.h"
#include "rowsmith/runtime.h"

namespace rowsmith {
namespace {

using testing::HasSubstr;

constexpr std::int64_t k_rows = 6, k_width = 40;

class op_calls : public testing::Test {
 protected:
  op_calls() : x(k_rows * k_width), y(x.size(), -1), mask(x.size()) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i * 7919 % 101) / 10 - 5;
      mask[i] = i % 3 != 0;
    }
  }

  tensor_view in() { return dense(x.data(), dtype::f32, {k_rows, k_width}); }
  tensor_view out() { return dense(y.data(), dtype::f32, {k_rows, k_width}); }
  tensor_view flags() { return dense(mask.data(), dtype::b8, {k_rows, k_width}); }

  op_call softmax_call() {
    op_call c("softmax");
    c.operand("y", out()).operand("x", const_tensor_view(in()));
    return c;
  }

  // What run, prepare, explain and workspace_bytes all say.
  std::string refusal(const op_call& c, code why = code::invalid_argument) {
    const status ran = c.run();
    EXPECT_EQ(ran.error(), why) << ran.to_string();
    EXPECT_EQ(c.prepare().error(), why);
    EXPECT_EQ(c.explain({"sm_90", false}).status().error(), why);
    EXPECT_EQ(c.workspace_bytes().status().error(), why);
    for (const float v : y) EXPECT_EQ(v, -1) << "a refused call has written";
    return ran.message();
  }

  std::vector<float> x, y;
  std::vector<std::uint8_t> mask;
};

TEST_F(op_calls, every_op_describes_itself) {
  const std::vector<op_info> ops = known_ops();
  ASSERT_FALSE(ops.empty());
  EXPECT_EQ(ops.front().name, "softmax");
  for (const op_info& op : ops) {
    EXPECT_THAT((std::vector<std::string_view>{"axis", "trailing", "set", "nothing"}), testing::Contains(op.along));
    int required = 0, outputs = 0;
    for (const op_info::operand& o : op.operands) {
      EXPECT_FALSE(o.role.empty() || o.role == "unknown") << op.name;
      EXPECT_FALSE(o.dtypes.empty()) << op.name << " " << o.role;
      required += !o.optional;
      outputs += o.output;
    }
    EXPECT_GE(required, 1) << op.name;
    EXPECT_GE(outputs, 1) << op.name;
    for (const op_info::setting& s : op.settings) EXPECT_GE(s.choices.size(), 2u) << op.name << " " << s.name;
  }
}

TEST_F(op_calls, the_same_bits_as_the_ops_own_function) {
  std::vector<float> own(x.size());
  ASSERT_TRUE(softmax(in(), dense(own.data(), dtype::f32, {k_rows, k_width})).ok());
  op_call c = softmax_call();
  ASSERT_TRUE(c.prepare().ok());
  EXPECT_EQ(y[0], -1) << "prepare launches nothing";
  EXPECT_EQ(*c.workspace_bytes(), 0u);
  const std::uint64_t misses = counters().calls_missed;
  ASSERT_TRUE(c.run().ok());
  EXPECT_EQ(counters().calls_missed, misses) << "f32 outputs have accurate exponentials, as the op's own default";
  EXPECT_EQ(y, own);
  y.assign(y.size(), 0);
  ASSERT_TRUE(c.run().ok()) << "a call may be run again";
  EXPECT_EQ(y, own);
}

TEST_F(op_calls, settings_by_their_whole_names_or_less) {
  for (const char* choice : {"keep", "keep_mask"}) {
    op_call c = softmax_call();
    const status s = c.operand("mask", const_tensor_view(flags())).set("mask", choice).set("exp", "accurate").run();
    ASSERT_TRUE(s.ok()) << s.to_string();
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i] == 0, mask[i] == 0) << choice << " " << i;
  }
  op_call c = softmax_call();
  ASSERT_TRUE(c.operand("mask", const_tensor_view(flags())).set("mask", "drop").run().ok());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i] == 0, mask[i] != 0) << i;
}

TEST_F(op_calls, a_setting_may_be_changed_before_the_call) {
  op_call c = softmax_call();
  c.operand("mask", const_tensor_view(flags())).set("mask", "drop").set("mask", "keep");
  ASSERT_TRUE(c.run().ok());
  EXPECT_EQ(y[0], 0);
}

TEST_F(op_calls, scale_is_a_scalar_and_makes_its_own_kernel) {
  op_call c = softmax_call();
  ASSERT_TRUE(c.scalar("scale", 0).run().ok());
  for (const float v : y) EXPECT_NEAR(v, 1.0f / k_width, 1e-7f);
}

// A second name of an op for one use of it: the same kernel, and the index is needed.
TEST_F(op_calls, norm_gather_is_a_layer_norm_of_picked_rows) {
  std::vector<std::int64_t> numbers = {5, -1, 0, 0, k_rows, 2};
  const tensor_view index = dense(numbers.data(), dtype::i64, {k_rows});
  for (const auto& [name, own_name] :
       {std::pair{"norm_gather", "layer_norm"}, std::pair{"rms_norm_gather", "rms_norm"}}) {
    std::vector<float> own(x.size(), 7);
    op_call long_form(own_name);
    long_form.operand("x", const_tensor_view(in())).operand("index", const_tensor_view(index)).rows("x", "index");
    ASSERT_TRUE(long_form.operand("y", dense(own.data(), dtype::f32, {k_rows, k_width})).run().ok());
    const std::uint64_t misses = counters().calls_missed;
    y.assign(y.size(), -1);
    op_call c(name);
    EXPECT_THAT(refusal(c.operand("x", const_tensor_view(in())).operand("y", out())),
                testing::AllOf(HasSubstr(name), HasSubstr("index")));
    const status ran = c.operand("index", const_tensor_view(index)).run();
    ASSERT_TRUE(ran.ok()) << ran.to_string();
    EXPECT_EQ(y, own);
    EXPECT_EQ(counters().calls_missed, misses) << "it is the same kernel";
    for (std::int64_t i = 0; i < k_width; ++i) {
      EXPECT_EQ(y[k_width + i], 0.0f) << "-1";
      EXPECT_EQ(y[4 * k_width + i], 0.0f) << "an index past the end";
      EXPECT_EQ(y[2 * k_width + i], y[3 * k_width + i]) << "the same row twice";
    }
    y.assign(y.size(), -1);
    EXPECT_THAT(c.checked().run().message(), HasSubstr("index[4]")) << "checked: the first bad position";
    EXPECT_EQ(y[0], -1);
  }
}

TEST_F(op_calls, a_causal_limit_is_a_number) {
  op_call c = softmax_call();
  ASSERT_TRUE(c.causal(1).run().ok());
  for (std::int64_t q = 0; q < k_rows; ++q) {
    for (std::int64_t k = 0; k < k_width; ++k) EXPECT_EQ(y[q * k_width + k] == 0, k > q + 1) << q << " " << k;
  }
  y.assign(y.size(), -1);
  EXPECT_THAT(refusal(softmax_call().axis(0).causal(0)), HasSubstr("causal"));
}

TEST_F(op_calls, rows_of_a_table) {
  std::int64_t picks[] = {2, -1, 0, 0, 5, 1};
  op_call c = softmax_call();
  c.operand("index", const_tensor_view(dense(picks, dtype::i64, {k_rows, 1}))).rows("x", "index");
  const status s = c.run();
  ASSERT_TRUE(s.ok()) << s.to_string();
  EXPECT_EQ(y[k_width], 0) << "a row that is not there";
  EXPECT_TRUE(std::equal(y.begin() + 2 * k_width, y.begin() + 3 * k_width, y.begin() + 3 * k_width));
  y.assign(y.size(), -1);
  EXPECT_THAT(refusal(softmax_call().rows("x", "index")), HasSubstr("index"));
  EXPECT_THAT(refusal(softmax_call().rows("mask", "x")), HasSubstr("mask"));
  EXPECT_THAT(refusal(softmax_call().rows("x", "y")), HasSubstr("no index"));
}

// Only what an op reads whole rows of can be a table; for a backward of gathers, only what it writes.
TEST_F(op_calls, an_index_picks_rows_of_what_the_op_says) {
  std::int64_t picks[] = {2, -1, 0, 0, 9, 1};
  const const_tensor_view index = dense(picks, dtype::i64, {k_rows, 1}), numbers = dense(picks, dtype::i64, {k_rows});
  std::vector<float> sum(x.size(), -1), weight(x.size(), 1);
  const const_tensor_view table = dense(weight.data(), dtype::f32, {k_rows, k_width});
  const auto named = [&](const char* op, const const_tensor_view& by) {
    op_call c(op);
    c.operand("x", const_tensor_view(in())).operand("y", out()).operand("index", by);
    return c;
  };
  EXPECT_THAT(refusal(named("softmax", index).rows("y", "index")), HasSubstr("y: no index picks"));
  EXPECT_THAT(refusal(named("layer_norm", numbers).rows("y", "index")), HasSubstr("y: no index picks"));
  EXPECT_THAT(refusal(named("gather_rows", numbers).rows("y", "index")), HasSubstr("y: no index picks"));
  EXPECT_THAT(refusal(named("layer_norm", numbers).operand("weight", table).rows("weight", "index")),
              HasSubstr("weight: no index picks"));
  op_call backward("gather_rows_backward");
  backward.operand("dy", const_tensor_view(in())).operand("dx", out()).operand("index", numbers);
  EXPECT_THAT(refusal(backward.rows("dy", "index")), HasSubstr("dy: no index picks"));
  EXPECT_THAT(refusal(named("softmax", index)), HasSubstr("index: no operand's rows"));
  EXPECT_THAT(named("gather_rows", numbers).checked().run().message(), HasSubstr("is 9")) << "the table is x";
  EXPECT_EQ(y[0], -1);
  ASSERT_TRUE(named("gather_rows", numbers).run().ok());
  EXPECT_TRUE(std::equal(y.begin(), y.begin() + k_width, x.begin() + 2 * k_width));
  EXPECT_EQ(y[k_width], 0);
}

TEST_F(op_calls, a_workspace_is_aligned_and_nobody_elses) {
  alignas(16) static std::byte own[1 << 16];
  std::vector<float> weight(k_width, 1), dweight(k_width, -1);
  op_call c("layer_norm_backward");
  c.operand("x", const_tensor_view(in())).operand("dy", const_tensor_view(in())).operand("dx", out());
  c.operand("weight", const_tensor_view(dense(weight.data(), dtype::f32, {k_width})));
  c.operand("dweight", dense(dweight.data(), dtype::f32, {k_width}));
  EXPECT_THAT(c.workspace(own + 1, sizeof own - 1).run().message(), HasSubstr("multiple of 16"));
  void* shared = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(x.data()) + 15) / 16 * 16);
  EXPECT_THAT(c.workspace(shared, 256).run().message(), HasSubstr("shares bytes with the workspace"));
  EXPECT_EQ(dweight[0], -1);
  EXPECT_TRUE(c.workspace(own, sizeof own).run().ok());
}

TEST_F(op_calls, lists_and_memory_that_are_null_are_told) {
  const expression e = expression::make(arg(0) + arg(1)).value();
  const const_tensor_view inputs[] = {in(), in()};
  const tensor_view to = out();
  EXPECT_THAT(elementwise(e, nullptr, 2, &to, 1).message(), HasSubstr("inputs: null"));
  EXPECT_THAT(elementwise(e, inputs, 2, nullptr, 1).message(), HasSubstr("outputs: null"));
  EXPECT_EQ(copy(device{}, nullptr, x.data(), 4).error(), code::invalid_argument);
  EXPECT_EQ(copy(device{}, y.data(), nullptr, 4).error(), code::invalid_argument);
  EXPECT_TRUE(copy(device{}, nullptr, nullptr, 0).ok());
}

TEST_F(op_calls, checked_indices_are_rows_of_their_table) {
  std::int64_t picks[] = {2, -1, 0, 0, 6, 1};
  op_call c = softmax_call();
  c.operand("index", const_tensor_view(dense(picks, dtype::i64, {k_rows, 1}))).rows("x", "index").checked();
  const status s = c.run();
  EXPECT_EQ(s.error(), code::invalid_argument);
  EXPECT_THAT(s.message(), HasSubstr("6"));
  EXPECT_EQ(y[0], -1) << "nothing was launched";
  picks[4] = 5;
  EXPECT_TRUE(c.run().ok());
}

TEST_F(op_calls, an_op_that_is_not_known_lists_those_that_are) {
  op_call c("softmin");
  c.operand("x", in()).axis(0).scalar("eps", 1).set("mask", "keep").causal(0);
  EXPECT_THAT(refusal(c, code::not_found), testing::AllOf(HasSubstr("softmin"), HasSubstr("softmax")));
}

TEST_F(op_calls, the_first_thing_that_is_wrong_is_told) {
  EXPECT_THAT(refusal(softmax_call().operand("dweight", out())), HasSubstr("dweight"));
  EXPECT_THAT(refusal(softmax_call().operand("", out())), HasSubstr("softmax has no"));
  EXPECT_THAT(refusal(softmax_call().operand("x", in())), HasSubstr("twice"));
  EXPECT_THAT(refusal(softmax_call().operand("causal", in())), HasSubstr("no memory"));
  EXPECT_THAT(refusal(op_call("softmax").operand("y", const_tensor_view(out()))), HasSubstr("const"));
  EXPECT_THAT(refusal(op_call("softmax").operand("x", in())), HasSubstr("softmax"));
  EXPECT_THAT(refusal(op_call("softmax")), HasSubstr("softmax"));
  EXPECT_THAT(refusal(softmax_call().axis(2)), HasSubstr("axis"));
  EXPECT_THAT(refusal(softmax_call().set("mode", "sideways")), HasSubstr("sideways"));
  EXPECT_THAT(refusal(softmax_call().set("mode", "")), HasSubstr("mode"));
  EXPECT_THAT(refusal(softmax_call().set("flavour", "plain")), HasSubstr("flavour"));
  EXPECT_THAT(refusal(softmax_call().scalar("eps", 1)), HasSubstr("eps"));
  EXPECT_THAT(refusal(softmax_call().param(4, 1)), HasSubstr("param"));
  EXPECT_THAT(refusal(softmax_call().set("flavour", "x").operand("x", in())), HasSubstr("flavour")) << "the first";
}

TEST_F(op_calls, a_mask_has_to_say_what_it_means) {
  EXPECT_THAT(refusal(softmax_call().operand("mask", const_tensor_view(flags()))), HasSubstr("keep"));
  EXPECT_THAT(refusal(softmax_call().operand("mask", const_tensor_view(flags())).set("mask", "no_mask")),
              HasSubstr("keep"));
  EXPECT_THAT(refusal(softmax_call().operand("mask", const_tensor_view(flags())).set("mask", "additive")),
              HasSubstr("b8"));
  EXPECT_THAT(refusal(softmax_call().set("mask", "keep")), HasSubstr("not there"));
}

TEST_F(op_calls, eps_has_to_be_positive) {
  const std::vector<op_info> ops = known_ops();
  if (std::none_of(ops.begin(), ops.end(), [](const op_info& op) { return op.name == "rms_norm"; })) {
    GTEST_SKIP() << "this version has no norm";
  }
  for (const float eps : {0.0f, -1e-5f, std::nanf("")}) {
    op_call c("rms_norm");
    c.operand("x", const_tensor_view(in())).operand("y", out()).scalar("eps", eps);
    EXPECT_THAT(refusal(c), HasSubstr("eps"));
  }
  op_call c("rms_norm");
  EXPECT_TRUE(c.operand("x", const_tensor_view(in())).operand("y", out()).run().ok()) << "eps has a default";
}

TEST_F(op_calls, expressions_belong_to_ops_that_take_them) {
  const auto one = expression::make(arg(0) * 2), two = expression::make(arg(0) + arg(1)),
             none = expression::make(param(0));
  const auto both = expression::make({arg(0), arg(0) * 2});
  ASSERT_TRUE(one.ok() && two.ok() && none.ok() && both.ok());
  EXPECT_THAT(refusal(softmax_call().compute(*one)), HasSubstr("fuse"));
  EXPECT_THAT(refusal(softmax_call().fuse(fusion{}.pre(*two))), HasSubstr("not given"));
  EXPECT_THAT(refusal(softmax_call().fuse(fusion{}.pre(*none))), HasSubstr("arg(0)"));
  EXPECT_THAT(refusal(softmax_call().fuse(fusion{}.post(*both))), HasSubstr("outputs"));
  EXPECT_THAT(refusal(softmax_call().fuse(fusion{}.pre(*one).with(in()))), HasSubstr("names"));
  fusion many;
  for (int i = 0; i < 4; ++i) many.with(in());
  EXPECT_THAT(refusal(softmax_call().fuse(many.pre(*two))), HasSubstr("at most 3"));
}

TEST_F(op_calls, explains_itself_for_any_target) {
  op_call c("softmax");
  c.operand("x", dense(nullptr, dtype::f16, {1000, 512})).operand("y", dense(nullptr, dtype::f16, {1000, 512}));
  const auto e = c.explain({"sm_90", false});
  ASSERT_TRUE(e.ok()) << e.status().to_string();
  EXPECT_THAT(e->facts, HasSubstr("width=512"));
  EXPECT_FALSE(e->launches.empty());
}

}  // namespace
}  // namespace rowsmith
