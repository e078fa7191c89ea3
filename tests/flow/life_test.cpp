// Life and death of a process that uses the library: threads, forks, exits, homes of every kind, kills, floods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <thread>

#include "child.h"
#include "in_child.h"

extern char** environ;

namespace rowsmith::test {
namespace {

namespace fs = std::filesystem;

class life : public testing::Test {
 protected:
  child_answer call(std::vector<std::string> arguments, std::vector<std::string> extra = {}) {
    extra.push_back("ROWSMITH_CACHE_DIR=" + (home_.path() / "cache").string());
    return run_child(std::move(arguments), extra);
  }
  std::vector<child_answer> many(int processes, const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& extra = {}) {
    std::vector<child_answer> answers(static_cast<std::size_t>(processes));
    std::vector<std::thread> starters;
    for (child_answer& a : answers) starters.emplace_back([&] { a = call(arguments, extra); });
    for (std::thread& t : starters) t.join();
    return answers;
  }
  std::size_t files(const std::string& suffix) const {
    std::size_t n = 0;
    std::error_code ignored;
    for (const auto& f : fs::recursive_directory_iterator(home_.path(), ignored)) {
      n += f.path().string().ends_with(suffix) ? 1 : 0;
    }
    return n;
  }
  private_folder home_;
};

TEST_F(life, threads_cold_and_warm) {
  for (const char* device : {"host", "null"}) {
    for (const char* threads : {"1", "8", "64"}) {
      const child_answer a = call({"threads", device, threads});
      EXPECT_EQ(a.exit_status, 0) << a.output;
    }
  }
  EXPECT_EQ(call({"threads", "host", "64"})["compiled"], "0");
}

TEST_F(life, case_52_fork_after_use) {
  std::vector<const char*> policies = {"blocking", "background"};
#ifdef __SANITIZE_THREAD__
  policies.pop_back();  // the thread sanitizer ends a child of a threaded process that starts threads
#endif
  for (const char* policy : policies) {
    const child_answer a = call({"fork", "host"}, {std::string("ROWSMITH_COMPILE=") + policy});
    EXPECT_EQ(a.exit_status, 0) << policy << ": " << a.output;
  }
}

TEST_F(life, case_50_exit_with_everything_alive) {
  for (const char* policy : {"blocking", "background"}) {
    const child_answer a = call({"late", "host"}, {std::string("ROWSMITH_COMPILE=") + policy});
    EXPECT_EQ(a.exit_status, 0) << policy << ": " << a.output;
    EXPECT_EQ(a["late"], "ok") << "a call from a static destructor";
  }
}

TEST_F(life, spaces_and_letters_of_the_world_in_every_path) {
  const fs::path odd = home_.path() / "my kernels \xc3\xa4\xe6\xbc\xa2 'n\" $(x)";
  fs::create_directories(odd / "tmp dir");
  for (int i = 0; i < 2; ++i) {
    const child_answer a = run_child({"host", "512"}, {"ROWSMITH_CACHE_DIR=" + (odd / "c \xc3\xb6").string(),
                                                       "TMPDIR=" + (odd / "tmp dir").string(), "HOME=" + odd.string()});
    ASSERT_EQ(a.exit_status, 0) << a.output;
    EXPECT_EQ(a["source"], i == 0 ? "compiled" : "disk");
  }
}

TEST_F(life, case_65_homes_that_are_none) {
  fs::create_directory(home_.path() / "sealed");
  ::chmod((home_.path() / "sealed").c_str(), 0500);
  for (const std::string& home : {std::string(""), std::string("/proc/nowhere"), std::string("/proc"),
                                  std::string("relative"), (home_.path() / "sealed").string()}) {
    const child_answer a = run_child({"host", "512"}, {"HOME=" + home, "XDG_CACHE_HOME="});
    EXPECT_EQ(a.exit_status, 0) << home << a.output;
    EXPECT_EQ(a["compiled"], "1") << home;
  }
}

TEST_F(life, case_17_cold_processes_compile_each_kernel_once_or_twice) {
  const int processes = soak() > 1 ? 64 : 12;
  const std::vector<std::string> work = {"host", "64", "96", "100", "128"};
  int compiled = 0;
  for (const child_answer& a : many(processes, work)) {
    EXPECT_EQ(a.exit_status, 0) << a.output;
    compiled += std::atoi(a["compiled"].c_str());
  }
  std::printf("%d processes x 4 kernels: %d compiles\n", processes, compiled);
  EXPECT_LE(compiled, 2 * 4);
  EXPECT_EQ(files(".rsk"), 4u);
}

// Processes are killed at random moments of cold calls; whatever they leave, the next one is right.
TEST_F(life, case_16_case_23_killed_at_random_moments) {
  std::minstd_rand random(1);
  for (int i = 0; i < 12 * soak(); ++i) {
    const std::string width = std::to_string(200 + i % 5);
    std::vector<std::string> lines = {"ROWSMITH_CACHE_DIR=" + (home_.path() / "cache").string()};
    for (char** line = environ; *line != nullptr; ++line) lines.emplace_back(*line);
    std::vector<char*> env, argv;
    for (std::string& l : lines) env.push_back(l.data());
    env.push_back(nullptr);
    std::vector<std::string> words = {ROWSMITH_FLOW_CHILD, "host", width};
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    ASSERT_EQ(::posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), env.data()), 0);
    ::usleep(20'000 + random() % 200'000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  const child_answer after = call({"host", "200", "201", "202", "203", "204"});
  EXPECT_EQ(after.exit_status, 0) << after.output;
  EXPECT_EQ(after["damaged"], "0");
}

// Readers keep calling while a tiny cap throws entries out beneath them.
TEST_F(life, case_36_eviction_under_readers) {
  std::vector<std::string> widths = {"null"};
  for (int i = 0; i < 40; ++i) widths.push_back(std::to_string(64 + i * 8));
  for (const child_answer& a : many(4 * soak(), widths, {"ROWSMITH_CACHE_MAX_BYTES=8K"})) {
    EXPECT_EQ(a.exit_status, 0) << a.output;
    EXPECT_EQ(a["damaged"], "0");
    EXPECT_EQ(a["fallbacks"], "0");
  }
}

}  // namespace
}  // namespace rowsmith::test
