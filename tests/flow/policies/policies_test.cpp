// What a missing kernel does: wait, build in the background, or fail; in a capture, in a fork, at exit.
#include "policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "base/log.h"

namespace rowsmith::test {
namespace {

using testing::HasSubstr;

std::atomic<int> g_warnings{0};
std::string g_last_warning;
void count_warnings(log_level, std::string_view line, void*) {
  ++g_warnings;
  g_last_warning = line;
}

TEST_F(policies, case_25_background_answers_at_once_and_swaps_later) {
  the_script().compile_ms = compile_ms;
  in_child(background, [] {
    (void)call(64);  // what a process does once
    double slowest = 0;
    for (const std::int64_t width : {512, 1024, 2048, 49}) {
      const auto start = std::chrono::steady_clock::now();
      ASSERT_TRUE(call(width).ok());
      slowest = std::max(slowest, ms_since(start));
      EXPECT_EQ(last_cold_call().source, "fallback");
    }
    std::printf("slowest first call of a class: %.3f ms\n", slowest);
    EXPECT_LT(slowest, compile_ms / 4.0);
    EXPECT_EQ(the_script().kernel_launches, 0);
    EXPECT_EQ(the_script().fallback_launches, 5);
    EXPECT_TRUE(soon([] { return (void)call(512), the_script().kernel_launches > 0; }));
    EXPECT_TRUE(soon([] { return the_script().compiles == 5; }));
    the_runtime().cold.background().drain();
    const int fallbacks = the_script().fallback_launches;
    for (const std::int64_t width : {512, 1024, 2048, 49}) ASSERT_TRUE(call(width).ok());
    EXPECT_EQ(the_script().fallback_launches, fallbacks);
    EXPECT_EQ(counters().calls_missed, 5u);
  });
}

TEST_F(policies, calls_of_many_threads_run_through_the_swap) {
  the_script().compile_ms = 50;
  in_child(background, [] {
    std::atomic<bool> stop{false};
    std::atomic<int> failed{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 8; ++t) {
      callers.emplace_back([&, t] {
        for (int i = 0; !stop; ++i) {
          if (!call(64 * (1 + (i + t) % 8)).ok()) ++failed;
          if (i % 100 == 0) std::this_thread::yield();
        }
      });
    }
    EXPECT_TRUE(soon([] { return the_script().compiles == 8; }));
    the_runtime().cold.background().drain();
    stop = true;
    for (std::thread& t : callers) t.join();
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(the_script().compiles, 8) << "each class once";
    const int before = the_script().fallback_launches;
    for (int i = 1; i <= 8; ++i) ASSERT_TRUE(call(64 * i).ok());
    EXPECT_EQ(the_script().fallback_launches, before);
  });
}

TEST_F(policies, case_53_at_most_two_threads_compile_in_the_background) {
  the_script().compile_ms = 30;
  in_child(background, [] {
    for (int i = 1; i <= 10; ++i) ASSERT_TRUE(call(64 * i, softmax_options{}.width(width_mode::exact)).ok());
    EXPECT_TRUE(soon([] { return the_script().compiles == 10; }));
    EXPECT_EQ(the_script().most_compiling, 2);
  });
}

TEST_F(policies, a_deterministic_call_waits_for_its_kernel) {
  the_script().compile_ms = 50;
  in_child(background, [] {
    ASSERT_TRUE(call(512, softmax_options{}.deterministic()).ok());
    EXPECT_EQ(the_script().fallback_launches, 0);
    ASSERT_TRUE(call(1024).ok());
    EXPECT_EQ(the_script().fallback_launches, 1);
    ASSERT_TRUE(call(1024, softmax_options{}.deterministic()).ok()) << "while the fallback stands in";
    EXPECT_EQ(the_script().fallback_launches, 1);
    EXPECT_EQ(the_script().kernel_launches, 2);
  });
}

TEST_F(policies, a_nearer_loaded_kernel_stands_in) {
  in_child(background, [] {
    ASSERT_TRUE(call(512, softmax_options{}.deterministic(), (1 << 20) + 2).ok());
    the_script().compile_ms = compile_ms;
    ASSERT_TRUE(call(512).ok()) << "better aligned";
    EXPECT_EQ(the_script().fallback_launches, 0);
    EXPECT_EQ(the_script().kernel_launches, 2);
    EXPECT_TRUE(soon([] { return the_script().compiles == 2; })) << "its own is built all the same";
  });
}

TEST_F(policies, background_takes_what_lies_on_disk_and_rebuilds_another_compilers_work) {
  in_child({}, [] { ASSERT_TRUE(call(512).ok()); });
  in_child(background, [] {
    ASSERT_TRUE(call(512).ok());
    EXPECT_EQ(last_cold_call().source, "disk");
    the_runtime().cold.background().drain();
    EXPECT_EQ(the_script().compiles, 1) << "nothing better is to be had";
  });
  the_script().compiler_version = 2;
  in_child(background, [] {
    ASSERT_TRUE(call(512).ok());
    EXPECT_EQ(the_script().last_version, 1) << "the other compiler's, at once";
    EXPECT_TRUE(soon([] { return (void)call(512), the_script().last_version == 2; }));
    EXPECT_EQ(the_script().compiles, 2);
  });
}

TEST_F(policies, what_the_compiler_at_hand_built_is_found_without_asking_it_who_it_is) {
  const auto source_of_a_first_call = [this] {
    the_script().asked = 0;
    in_child({}, [] { ASSERT_TRUE(call(512).ok()); });
    return the_script().last_version.load();
  };
  the_script().files_tell_the_build = true;
  EXPECT_EQ(source_of_a_first_call(), 1);
  EXPECT_GT(the_script().asked, 0) << "it is compiled";
  EXPECT_EQ(source_of_a_first_call(), 1);
  EXPECT_EQ(the_script().asked, 0);
  the_script().compiler_version = 2;
  EXPECT_EQ(source_of_a_first_call(), 2) << "another build's work is not taken for its own";
  EXPECT_EQ(the_script().compiles, 2);
  EXPECT_EQ(source_of_a_first_call(), 2);
  EXPECT_EQ(the_script().compiles, 2) << "found, by whom the compiler says it is";
  the_script().compiler_version = 1;
  EXPECT_EQ(source_of_a_first_call(), 1);
  EXPECT_EQ(the_script().asked, 0);
  EXPECT_EQ(the_script().compiles, 2);
}

TEST_F(policies, case_41_case_44_a_failed_compile_is_remembered_and_reported_once_with_its_log) {
  the_script().compiler_fails = true;
  for (const char* policy : {"ROWSMITH_COMPILE=blocking", "ROWSMITH_COMPILE=background"}) {
    the_script().compiles = 0;
    in_child({policy}, [] {
      (void)counters();  // the runtime has read ROWSMITH_LOG
      set_log(&count_warnings, nullptr, log_level::warn);
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(call(512).ok());
      the_runtime().cold.background().drain();
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(call(512).ok());
      EXPECT_EQ(the_script().compiles, 1);
      EXPECT_EQ(g_warnings, 1);
      EXPECT_THAT(g_last_warning, HasSubstr("line 1: the log of it"));
      EXPECT_EQ(counters().compile_failures, 1u);
      EXPECT_EQ(the_script().kernel_launches, 0);
    });
  }
}

TEST_F(policies, never_falls_back_with_one_warning_and_compiles_nothing) {
  in_child({"ROWSMITH_COMPILE=never"}, [] {
    (void)counters();
    set_log(&count_warnings, nullptr, log_level::warn);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(call(512).ok());
    EXPECT_EQ(the_script().fallback_launches, 5);
    EXPECT_EQ(the_script().compiles, 0);
    EXPECT_EQ(g_warnings, 1) << g_last_warning;
  });
}

TEST_F(policies, case_26_strict_fails_every_time_and_names_the_field) {
  in_child({}, [] { ASSERT_TRUE(call(512).ok()); });
  the_script().compiler_version = 7;  // of no interest to who does not compile
  in_child({"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"}, [] {
    ASSERT_TRUE(call(512).ok());
    EXPECT_EQ(the_script().last_version, 1);
    for (int i = 0; i < 3; ++i) {
      const status s = call(513);
      ASSERT_EQ(s.error(), code::would_compile);
      EXPECT_THAT(s.message(), HasSubstr("differs in entry, facts, instantiation")) << s.message();
      EXPECT_THAT(s.detail(), HasSubstr("width=513"));
    }
    EXPECT_EQ(the_script().fallback_launches, 0);
    EXPECT_EQ(the_script().compiles, 1);
  });
}

TEST_F(policies, case_66_a_bundle_answers_where_there_is_no_compiler) {
  in_child({}, [] { ASSERT_TRUE(call(512).ok()); });
  the_script().has_compiler = false;
  for (const char* policy : {"blocking", "background", "never"}) {
    in_child({std::string("ROWSMITH_COMPILE=") + policy, "ROWSMITH_STRICT=1",
              "ROWSMITH_SITE_DIRS=" + (home_.path() / "cache").string(), "ROWSMITH_CACHE_DIR=/proc/nowhere"},
             [] {
               ASSERT_TRUE(call(512).ok());
               EXPECT_EQ(last_cold_call().source, "disk");
             });
  }
}

TEST_F(policies, case_48_a_miss_in_a_capture_is_an_error_and_touches_nothing) {
  for (const char* policy : {"blocking", "background", "never"}) {
    const int before = the_script().compiles;
    in_child({std::string("ROWSMITH_COMPILE=") + policy, "ROWSMITH_CACHE_DIR=" + home_.path().string() + policy},
             [before] {
               the_script().capturing = true;
               const status s = call(512);
               EXPECT_EQ(s.error(), code::would_compile);
               EXPECT_THAT(s.message(), HasSubstr("captured"));
               EXPECT_EQ(the_script().compiles, before);
               EXPECT_EQ(the_script().fallback_launches, 0);
               the_script().capturing = false;
             });
  }
}

TEST_F(policies, case_49_a_prepared_kernel_is_captured) {
  for (const auto& environment : {std::vector<std::string>{}, background}) {
    in_child(environment, [] {
      ASSERT_TRUE(prepare(512).ok());
      EXPECT_EQ(the_script().fallback_launches + the_script().kernel_launches, 0) << "nothing is launched";
      the_script().capturing = true;
      EXPECT_TRUE(call(512).ok());
      EXPECT_EQ(the_script().kernel_launches.exchange(0), 1);
      the_script().capturing = false;
    });
  }
}

TEST_F(policies, case_48_the_fallback_is_frozen_only_where_that_was_asked_for) {
  the_script().compile_ms = 100;
  in_child(background, [] {
    ASSERT_TRUE(call(512).ok());
    the_script().capturing = true;
    EXPECT_EQ(call(512).error(), code::would_compile) << "a fallback that stands in is not frozen silently";
    EXPECT_TRUE(call(512, softmax_options{}.capture_fallback()).ok());
    EXPECT_EQ(the_script().fallback_launches, 2);
    the_script().capturing = false;
    the_runtime().cold.background().drain();
    the_script().capturing = true;
    EXPECT_TRUE(call(512).ok());
    EXPECT_EQ(the_script().kernel_launches.exchange(0), 1);
    the_script().capturing = false;
  });
  the_script().fallback_launches = 0;
  in_child({}, [] {
    the_script().capturing = true;
    EXPECT_TRUE(call(1024, softmax_options{}.capture_fallback()).ok());
    EXPECT_EQ(the_script().fallback_launches, 1);
    EXPECT_EQ(call(1024).error(), code::would_compile) << "asked for by one call, not for the next";
    the_script().capturing = false;
    EXPECT_TRUE(call(1024).ok()) << "and after the capture the kernel is built";
    EXPECT_EQ(the_script().kernel_launches, 1);
  });
}

TEST_F(policies, case_52_a_child_forked_during_a_build_starts_empty_and_works) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a child of a threaded process that starts threads";
#endif
  the_script().compile_ms = compile_ms;
  in_child(background, [this] {
    ASSERT_TRUE(call(512).ok());
    ASSERT_TRUE(soon([] { return the_script().compiling > 0; }));
    in_child({}, [] {
      EXPECT_EQ(counters().calls_missed, 0u);
      the_script().compile_ms = 0;
      ASSERT_TRUE(call(1024).ok());
      EXPECT_TRUE(soon([] { return (void)call(1024), the_script().kernel_launches > 0; }));
      shutdown();
    });
    the_runtime().cold.background().drain();
    EXPECT_TRUE(call(512).ok());
  });
}

TEST_F(policies, shutdown_joins_and_calls_start_afresh) {
  the_script().compile_ms = 50;
  in_child(background, [] {
    for (int i = 1; i <= 6; ++i) ASSERT_TRUE(call(64 * i).ok());
    shutdown();
    EXPECT_EQ(the_script().compiling, 0);
    EXPECT_LE(the_script().compiles, 3) << "what was only queued is dropped";
    ASSERT_TRUE(call(64).ok());
    EXPECT_TRUE(soon([] { return (void)call(64), the_script().kernel_launches > 0; }));
  });
}

// An idle worker waits for work for seconds; nobody who shuts down waits with it.
TEST_F(policies, several_threads_shut_down_at_once) {
  in_child(background, [] {
    for (int round = 0; round < 20; ++round) {
      ASSERT_TRUE(call(64 * (1 + round)).ok());
      the_runtime().cold.background().drain();
      const auto start = std::chrono::steady_clock::now();
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t) threads.emplace_back([] { shutdown(); });
      for (std::thread& t : threads) t.join();
      ASSERT_LT(ms_since(start), 4000) << round;
    }
    the_script().compile_ms = 50;
    ASSERT_TRUE(call(5000).ok());
    ASSERT_TRUE(soon([] { return the_script().compiling > 0; }));
    std::vector<std::thread> threads;
    std::atomic<int> early{0};
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { shutdown(), early += the_script().compiling; });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(early, 0) << "each waits for what runs";
  });
}

TEST_F(policies, case_50_a_process_exits_without_waiting_for_a_build) {
  the_script().compile_ms = 3000;
  const double took = in_child(
      background, [] { ASSERT_TRUE(call(512).ok() && soon([] { return the_script().compiling > 0; })); }, true);
  EXPECT_LT(took, 2500);
  the_script().compile_ms = 0;
}

}  // namespace
}  // namespace rowsmith::test
