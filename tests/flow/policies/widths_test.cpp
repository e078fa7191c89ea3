// Widths that change every call: which of them get kernels of their own, and when.
#include "call/widths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "policies.h"

namespace rowsmith::test {
namespace {

using options = softmax_options;
constexpr int first_ones = static_cast<int>(width_book::exact_at_once);
constexpr int calls_for_exact = static_cast<int>(width_book::calls_for_exact);

class widths : public policies {};

// Dense rows: alignment and phase follow from the width, and still there is one kernel for each bucket.
TEST_F(widths, a_thousand_compile_a_few_kernels) {
  in_child({}, [] {
    for (int width = 1; width <= 1000; ++width) ASSERT_TRUE(call(width * 37).ok());
    EXPECT_LE(the_script().compiles, first_ones + 4);
    EXPECT_EQ(the_script().kernel_launches, 1000);
    EXPECT_EQ(the_script().fallback_launches, 0);
    EXPECT_EQ(counters().answered_by_any_width, 1000u - first_ones);
    EXPECT_EQ(counters().exact_after_calls, 0u);
  });
}

TEST_F(widths, exact_always_specializes_and_any_never_does) {
  in_child({}, [] {
    for (int width = 100; width < 120; ++width) ASSERT_TRUE(call(width, options{}.width(width_mode::any)).ok());
    EXPECT_EQ(the_script().compiles, 1);
    for (int width = 100; width < 120; ++width) ASSERT_TRUE(call(width, options{}.width(width_mode::exact)).ok());
    EXPECT_EQ(the_script().compiles, 21);
    for (int width = 100; width < 120; ++width) ASSERT_TRUE(call(width, options{}.width(width_mode::any)).ok());
    EXPECT_EQ(the_script().compiles, 21);
    EXPECT_EQ(counters().answered_by_any_width, 0u) << "nobody left it open";
  });
}

TEST_F(widths, a_width_that_comes_often_gets_its_kernel_in_the_background) {
  in_child({}, [] {
    for (int width = 65; width < 65 + first_ones; ++width) ASSERT_TRUE(call(width).ok());
    ASSERT_TRUE(call(200).ok());
    EXPECT_EQ(the_script().compiles, first_ones + 1);
    for (int i = 0; i < calls_for_exact - 1; ++i) ASSERT_TRUE(call(200).ok());
    the_runtime().cold.background().drain();
    EXPECT_EQ(the_script().compiles, first_ones + 1) << "not yet";
    ASSERT_TRUE(call(200).ok());
    the_runtime().cold.background().drain();
    EXPECT_EQ(the_script().compiles, first_ones + 2);
    EXPECT_EQ(counters().exact_after_calls, 1u);
    const auto misses = counters().calls_missed;
    for (int i = 0; i < 3 * calls_for_exact; ++i) ASSERT_TRUE(call(200).ok());
    EXPECT_EQ(counters().calls_missed, misses);
    EXPECT_EQ(the_script().compiles, first_ones + 2) << "once";
  });
}

// The compiler fails for the width alone: its bucket's kernel goes on, not the fallback.
TEST_F(widths, what_cannot_be_built_stays_with_the_bucket) {
  in_child({}, [] {
    for (int width = 65; width <= 65 + first_ones; ++width) ASSERT_TRUE(call(width).ok());
    the_script().compiler_fails = true;
    for (int i = 0; i < 2 * calls_for_exact; ++i) ASSERT_TRUE(call(65 + first_ones).ok());
    the_runtime().cold.background().drain();
    for (int i = 0; i < 2 * calls_for_exact; ++i) ASSERT_TRUE(call(65 + first_ones).ok());
    EXPECT_EQ(the_script().fallback_launches, 0);
    EXPECT_EQ(counters().exact_after_calls, 0u);
  });
}

TEST_F(widths, what_promises_its_bits_is_exact) {
  in_child({}, [] {
    for (int width = 65; width < 65 + 2 * first_ones; ++width) ASSERT_TRUE(call(width, options{}.deterministic()).ok());
    EXPECT_EQ(the_script().compiles, 2 * first_ones);
    for (int width = 65; width < 65 + 2 * first_ones; ++width)
      ASSERT_TRUE(call(width, options{}.batch_invariant()).ok());
    EXPECT_EQ(the_script().compiles, 4 * first_ones);
    EXPECT_EQ(counters().answered_by_any_width, 0u);
  });
}

// A call that must not change its kernel meets a width that its bucket's kernel has answered so far.
TEST_F(widths, exact_calls_do_not_take_the_buckets_kernel) {
  in_child({}, [] {
    for (int width = 65; width <= 65 + first_ones; ++width) ASSERT_TRUE(call(width).ok());
    ASSERT_TRUE(call(65 + first_ones).ok());
    const int compiles = the_script().compiles;
    ASSERT_TRUE(call(65 + first_ones, options{}.width(width_mode::exact)).ok());
    EXPECT_EQ(the_script().compiles, compiles + 1);
  });
}

TEST_F(widths, the_environment_says_what_an_open_width_means) {
  in_child({"ROWSMITH_WIDTH=any"}, [] {
    for (int width = 65; width < 165; ++width) ASSERT_TRUE(call(width).ok());
    for (int i = 0; i < 2 * calls_for_exact; ++i) ASSERT_TRUE(call(100).ok());
    the_runtime().cold.background().drain();
    EXPECT_EQ(the_script().compiles, 1);
  });
  in_child({"ROWSMITH_WIDTH=exact"}, [] {
    the_script().compiles = 0;
    for (int width = 65; width < 85; ++width) ASSERT_TRUE(call(width).ok());
    EXPECT_EQ(the_script().compiles, 20);
  });
}

// In a capture: what its bucket's kernel has answered before; nothing new.
TEST_F(widths, captures_take_a_kernel_that_answered_before) {
  in_child({}, [] {
    for (int width = 65; width <= 65 + first_ones; ++width) ASSERT_TRUE(call(width).ok());
    ASSERT_TRUE(prepare(300).ok());
    const int compiles = the_script().compiles;
    the_script().capturing = true;
    for (int i = 0; i < 2 * calls_for_exact; ++i) ASSERT_TRUE(call(65 + first_ones).ok());
    EXPECT_TRUE(call(300).ok()) << "prepared";
    EXPECT_EQ(call(301).error(), code::would_compile);
    the_script().capturing = false;
    the_runtime().cold.background().drain();
    EXPECT_EQ(the_script().compiles, compiles) << "and nothing is built for a capture";
  });
}

TEST_F(widths, background_answers_at_once_whatever_the_width) {
  the_script().compile_ms = 50;
  in_child(background, [] {
    for (int width = 65; width < 165; ++width) ASSERT_TRUE(call(width).ok());
    the_runtime().cold.background().drain();
    EXPECT_EQ(the_script().compiles, first_ones + 1);
    const int fallbacks = the_script().fallback_launches;
    for (int width = 65; width < 165; ++width) ASSERT_TRUE(call(width).ok());
    EXPECT_EQ(the_script().fallback_launches, fallbacks);
  });
}

// Must-hit: a cache that was filled by one process serves another, whose widths come in another order.
TEST_F(widths, never_takes_what_lies_ready) {
  const auto everything = [](int from, int to, int step) {
    for (int width = from; width != to; width += step) ASSERT_TRUE(call(width).ok()) << width;
  };
  in_child({}, [&] { everything(100, 140, 1); });
  const std::vector<std::string> must_hit = {"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"};
  in_child(must_hit, [&] {
    the_script().compiles = 0;
    everything(139, 99, -1);
    EXPECT_EQ(the_script().compiles, 0);
    EXPECT_EQ(the_script().fallback_launches, 0);
    EXPECT_EQ(counters().answered_by_any_width, 40u - first_ones) << "those that have kernels of their own use them";
    EXPECT_EQ(call(20000).error(), code::would_compile) << "another bucket";
  });
}

TEST_F(widths, explain_says_which_and_why) {
  in_child({}, [] {
    const auto why = [](std::int64_t width) {
      const device where{device_kind::null, 0};
      const auto e = explain_softmax(dense(nullptr, dtype::f16, {8, width}, where),
                                     dense(nullptr, dtype::f16, {8, width}, where), {}, {});
      return e.ok() ? e->why.back() + " | " + e->launches.front().strategy : e.status().to_string();
    };
    EXPECT_THAT(why(100), testing::HasSubstr("width exact: one of the first 8"));
    for (int width = 65; width <= 65 + first_ones; ++width) ASSERT_TRUE(call(width).ok());
    EXPECT_THAT(why(65), testing::HasSubstr("width exact"));
    EXPECT_THAT(why(100),
                testing::AllOf(testing::HasSubstr("width any: 8 other widths"), testing::HasSubstr("| any_width")));
    ASSERT_TRUE(call(100).ok());
    ASSERT_TRUE(call(100).ok());
    EXPECT_THAT(why(100), testing::HasSubstr("64 calls, 2 so far"));
  });
}

// What is recorded is what answered: replaying it builds the bucket's kernel, once.
TEST_F(widths, records_name_the_buckets_kernel) {
  private_folder folder;
  const std::string file = (folder.path() / "requests").string();
  in_child({"ROWSMITH_RECORD=" + file}, [] {
    for (int width = 100; width < 200; ++width) ASSERT_TRUE(call(width).ok());
    ASSERT_TRUE(call(300, options{}.batch_invariant()).ok());
  });
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto count = [&](std::string_view what) {
    int n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("\n"), first_ones + 1 + 1) << text;
  EXPECT_EQ(count(R"("width":"any")"), 1);
  EXPECT_EQ(count(R"("batch_invariant":true)"), 1);
}

}  // namespace
}  // namespace rowsmith::test
