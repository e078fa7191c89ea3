// Every errno at every file operation of a call, and a kill before each: the call is right, and so is the next one.
#include <signal.h>

#include <cerrno>
#include <random>
#include <thread>

#include "faults.h"

namespace rowsmith::test {
namespace {

constexpr device_kind null_device = device_kind::null, host = device_kind::host;

// Fails operation number `at`, or all from there on.
void fail_at(int at, int error, bool and_later) {
  the_disk().before = [=](const std::string&, int number) {
    return number == at || (and_later && number > at) ? error : 0;
  };
}

TEST_F(faults, case_20_case_27_case_39_case_65_each_errno_at_each_operation_of_a_call_that_builds) {
  const auto build = [] { ASSERT_TRUE(call(null_device, 64).ok()); };
  const int total = operations(build);
  ASSERT_GT(total, 20);
  for (const bool and_later : {false, true}) {
    for (const int error : every_errno) {
      for (int at = 0; at < total; ++at) {
        wipe();
        const int state = scene([&] {
          the_disk().no_sync = true;
          fail_at(at, error, and_later);
          const status s = call(null_device, 64);
          ASSERT_TRUE(s.ok()) << s.to_string();
          EXPECT_EQ(last_cold_call().source, "compiled");
          EXPECT_EQ(counters().compiled, 1u);
          EXPECT_EQ(counters().cache_damaged, 0u);
        });
        ASSERT_EQ(state, 0) << "errno " << error << " at " << at << (and_later ? " and later" : "");
        if (at % 7 == 0) expect_the_next_one_works(null_device, 64);
      }
    }
  }
}

// The host computes, so that a wrong answer shows: from the kernel, or without it from the fallback.
TEST_F(faults, case_20_case_65_each_errno_at_each_operation_of_a_call_that_reads) {
  ASSERT_EQ(scene([] { ASSERT_TRUE(call(host, 96).ok()); }), 0);
  const auto read = [] { ASSERT_TRUE(call(host, 96).ok()); };
  const std::vector<std::string> never = {"ROWSMITH_COMPILE=never"};
  const int total = operations(read, never);
  ASSERT_GT(total, 5);
  for (const bool and_later : {false, true}) {
    for (const int error : every_errno) {
      int from_disk = 0;
      for (int at = 0; at < total; ++at) {
        const int state = scene(
            [&] {
              fail_at(at, error, and_later);
              const status s = call(host, 96);
              ASSERT_TRUE(s.ok()) << s.to_string();
              EXPECT_EQ(counters().cache_damaged, 0u) << "what cannot be read is not damaged";
              if (last_cold_call().source == "disk") ::_exit(3);
              EXPECT_EQ(last_cold_call().source, "fallback");
            },
            never);
        from_disk += state == 3 << 8;
        ASSERT_TRUE(state == 0 || state == 3 << 8) << "errno " << error << " at " << at;
      }
      EXPECT_GT(from_disk, 0) << "operations that a hit can do without";
      EXPECT_TRUE(!and_later || from_disk < total) << "a single failure is outlived by a second look";
    }
  }
  expect_the_next_one_works(host, 96);
}

TEST_F(faults, case_16_case_23_killed_before_each_operation_of_a_call) {
  int step = 0, whole = 0;
  for (bool killed = true; killed; ++step) {
    ASSERT_LT(step, 500);
    wipe();
    const int state = scene([&] {
      the_disk().write_at_most = 200;  // several writes, so that a torn temporary is among the outcomes
      the_disk().before = [&](const std::string&, int number) {
        if (number == step) ::kill(::getpid(), SIGKILL);
        return 0;
      };
      ASSERT_TRUE(call(null_device, 64).ok());
    });
    killed = WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL;
    ASSERT_TRUE(killed || state == 0);
    whole += !cache::test::files_below(cache_dir(), ".rsk").empty();
    expect_the_next_one_works(null_device, 64);
  }
  EXPECT_GT(step, 20);
  EXPECT_GT(whole, 1);
}

// Among many entries, where nothing may be compiled and nobody listens, a miss looks at none of them.
TEST_F(faults, a_miss_does_not_walk_through_the_directory) {
  const auto build = [] {
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(call(null_device, 64 + 8 * i).ok());
  };
  ASSERT_EQ(scene(build), 0);
  int lists = 0;
  const auto miss = [&](bool loud) {
    return scene(
        [&] {
          the_disk().before = [&](const std::string& operation, int) { return lists += operation == "list", 0; };
          ASSERT_TRUE(call(null_device, 999).ok());
          EXPECT_EQ(last_cold_call().source, "fallback");
          EXPECT_EQ(lists > 0, loud);
        },
        {"ROWSMITH_COMPILE=never", std::string("ROWSMITH_LOG=") + (loud ? "warn" : "off")});
  };
  EXPECT_EQ(miss(false), 0);
  EXPECT_EQ(miss(true), 0) << "who listens is told what differs";
}

TEST_F(faults, a_clock_that_jumps_changes_no_answer) {
  const int state = scene(
      [] {
        std::minstd_rand random(1);
        the_disk().no_sync = true;
        for (int i = 0; i < 60 * soak(); ++i) {
          the_disk().clock_offset = (static_cast<std::int64_t>(random() % 2001) - 1000) * 86'400'000'000'000;
          const status s = call(null_device, 64 + 8 * (random() % 20));
          ASSERT_TRUE(s.ok()) << s.to_string();
          EXPECT_NE(last_cold_call().source, "fallback");
          if (i % 3 == 0) forget_kernels();
        }
        EXPECT_EQ(counters().cache_damaged, 0u);
        EXPECT_EQ(counters().cache_store_failures, 0u);
      },
      {"ROWSMITH_CACHE_MAX_BYTES=8K"});
  EXPECT_EQ(state, 0);
}

// The disk fails now and then while many threads call; what is right stays right.
TEST_F(faults, a_disk_that_fails_at_random_under_threads) {
  const int state = scene(
      [] {
        the_disk().no_sync = true;
        the_disk().before = [](const std::string&, int number) {
          const auto mixed = static_cast<std::uint32_t>(number) * 2654435761u;
          return mixed >> 28 == 0 ? every_errno[(mixed >> 8) % every_errno.size()] : 0;
        };
        std::atomic<int> failed{0};
        for (int round = 0; round < 10 * soak(); ++round) {
          std::vector<std::thread> threads;
          for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&, t] {
              for (int i = 0; i < 10; ++i) failed += call(null_device, 64 + 8 * ((i * 3 + t) % 24)).ok() ? 0 : 1;
            });
          }
          for (std::thread& t : threads) t.join();
          forget_kernels();
        }
        EXPECT_EQ(failed, 0);
        EXPECT_EQ(counters().fallback_kernels, 0u);
        EXPECT_EQ(counters().cache_damaged, 0u);
      },
      {"ROWSMITH_CACHE_MAX_BYTES=8K"});
  EXPECT_EQ(state, 0);
}

}  // namespace
}  // namespace rowsmith::test
