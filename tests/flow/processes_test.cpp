// Whole processes over one cache directory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "child.h"

namespace rowsmith::test {
namespace {

class processes : public testing::Test {
 protected:
  child_answer call(std::vector<std::string> arguments, std::vector<std::string> extra = {}) {
    extra.push_back("ROWSMITH_CACHE_DIR=" + (home_.path() / "cache").string());
    return run_child(std::move(arguments), extra);
  }
  private_folder home_;
};

TEST_F(processes, case_4_the_second_process_compiles_nothing) {
  const child_answer first = call({"host", "512", "49"});
  ASSERT_EQ(first.exit_status, 0) << first.output;
  EXPECT_EQ(first["compiled"], "2");
  EXPECT_EQ(first["source"], "compiled");
  const child_answer second = call({"host", "512", "49"});
  EXPECT_EQ(second["compiled"], "0");
  EXPECT_EQ(second["disk"], "2");
  EXPECT_EQ(second["source"], "disk");
}

TEST_F(processes, the_null_device_walks_the_whole_corridor) {
  EXPECT_EQ(call({"null", "512", "49", "50257"})["compiled"], "3");
  EXPECT_EQ(call({"null", "512", "49", "50257"})["disk"], "3");
}

TEST_F(processes, forced_scalar_compiles_nothing_and_answers) {
  const child_answer a = call({"host", "512", "1"}, {"ROWSMITH_FORCE_SCALAR=1"});
  ASSERT_EQ(a.exit_status, 0) << a.output;
  EXPECT_EQ(a["strategy"], "scalar");
  EXPECT_EQ(a["source"], "fallback");
  EXPECT_EQ(a["compiled"], "0");
}

TEST_F(processes, case_18_a_compiler_that_fails_leaves_no_entry_and_the_fallback_answers) {
  const child_answer a = call({"host", "512", "512"}, {"ROWSMITH_CXX=/bin/false"});
  ASSERT_EQ(a.exit_status, 0) << a.output;
  EXPECT_EQ(a["source"], "fallback");
  for (const auto& file : std::filesystem::recursive_directory_iterator(home_.path())) {
    EXPECT_NE(file.path().extension(), ".rsk");
  }
}

TEST_F(processes, no_compiler_at_all_is_no_error) {
  const child_answer a = call({"host", "512"}, {"ROWSMITH_CXX=/nowhere/c++", "CXX=", "PATH=/nowhere"});
  ASSERT_EQ(a.exit_status, 0) << a.output;
  EXPECT_EQ(a["source"], "fallback");
}

TEST_F(processes, case_26_never_with_strict_names_what_differs) {
  EXPECT_EQ(call({"host", "512"}).exit_status, 0);
  const child_answer hit = call({"host", "512"}, {"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"});
  EXPECT_EQ(hit.exit_status, 0) << hit.output;
  const child_answer miss = call({"host", "513"}, {"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"});
  EXPECT_EQ(miss.exit_status, 1);
  EXPECT_THAT(miss["error"], testing::HasSubstr("would_compile"));
  EXPECT_THAT(miss["error"], testing::HasSubstr("facts"));
  EXPECT_EQ(call({"host", "513"}, {"ROWSMITH_COMPILE=never"})["source"], "fallback");
}

TEST_F(processes, case_14_a_damaged_entry_is_rebuilt) {
  ASSERT_EQ(call({"host", "512"}).exit_status, 0);
  int damaged = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(home_.path())) {
    if (file.path().extension() != ".rsk") continue;
    std::fstream f(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(file.file_size() / 2));
    f.put('\x5a').put('\xa5');
    ++damaged;
  }
  ASSERT_EQ(damaged, 1);
  const child_answer again = call({"host", "512"});
  EXPECT_EQ(again.exit_status, 0) << again.output;
  EXPECT_EQ(again["compiled"], "1");
  EXPECT_EQ(again["damaged"], "1");
  EXPECT_EQ(call({"host", "512"})["disk"], "1");
}

TEST_F(processes, case_65_an_unusable_cache_directory_is_never_fatal) {
  std::ofstream(home_.path() / "cache") << "a file where the directory should be";
  const child_answer a = call({"host", "512"});
  EXPECT_EQ(a.exit_status, 0) << a.output;
  EXPECT_EQ(a["compiled"], "1");
}

TEST_F(processes, case_17_cold_processes_race_over_one_directory) {
  std::vector<std::thread> starters;
  std::vector<child_answer> answers(6);
  for (child_answer& a : answers) starters.emplace_back([&] { a = call({"host", "512", "49"}); });
  for (std::thread& t : starters) t.join();
  for (const child_answer& a : answers) EXPECT_EQ(a.exit_status, 0) << a.output;
  EXPECT_EQ(call({"host", "512", "49"})["disk"], "2");
}

}  // namespace
}  // namespace rowsmith::test
