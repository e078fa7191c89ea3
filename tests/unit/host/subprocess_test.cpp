#include "base/subprocess.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <vector>

namespace rowsmith {
namespace {

TEST(subprocess, output_and_status) {
  const auto r = run({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->exit_status, 3);
  EXPECT_NE(r->output.find("out\n"), std::string::npos);
  EXPECT_NE(r->output.find("err\n"), std::string::npos);
}

TEST(subprocess, arguments_reach_no_shell) {
  const auto r = run({"printf", "%s", "$(id) `id` ; 'a b'"});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->output, "$(id) `id` ; 'a b'");
}

TEST(subprocess, no_such_program) {
  EXPECT_EQ(run({"rowsmith-no-such-program"}).status().error(), code::not_found);
  EXPECT_EQ(run({"/nowhere/at/all"}).status().error(), code::not_found);
  EXPECT_EQ(run({}).status().error(), code::invalid_argument);
  EXPECT_EQ(run({"/etc/passwd"}).status().error(), code::io_error);
}

// More than any pipe holds, both ways at once.
TEST(subprocess, large_input_and_output) {
  std::string input(std::size_t{3} << 20, 'x');
  for (std::size_t i = 0; i < input.size(); i += 61) input[i] = '\n';
  const auto r = run({"cat"}, input);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->exit_status, 0);
  EXPECT_EQ(r->output, input);
}

TEST(subprocess, child_that_does_not_read) {
  const auto r = run({"true"}, std::string(std::size_t{4} << 20, 'x'));
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->exit_status, 0);
}

TEST(subprocess, killed_by_a_signal) {
  const auto r = run({"sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->exit_status, 128 + SIGKILL);
}

TEST(subprocess, environment_is_added_and_replaced) {
  ::setenv("ROWSMITH_TEST_A", "old", 1);
  ::setenv("ROWSMITH_TEST_B", "kept", 1);
  const auto r = run({"sh", "-c", "echo $ROWSMITH_TEST_A $ROWSMITH_TEST_B"}, {}, {"ROWSMITH_TEST_A=new"});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->output, "new kept\n");
}

// A program that has signals ignored or blocked still gets children that behave.
TEST(subprocess, child_starts_with_usual_signals) {
  sigset_t all, old;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &old);
  const auto r = run({"sh", "-c", "kill -TERM $$; echo alive"});
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->exit_status, 128 + SIGTERM);
}

// No child may keep another's input open: then `cat` would never end.
TEST(subprocess, many_threads) {
  std::vector<std::thread> threads;
  std::vector<int> good(8);
  for (std::size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string input = std::to_string(t) + " " + std::to_string(i);
        const auto r = run({"cat"}, input);
        good[t] += r.ok() && r->exit_status == 0 && r->output == input;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int g : good) EXPECT_EQ(g, 25);
}

}  // namespace
}  // namespace rowsmith
