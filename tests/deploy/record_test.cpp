// ROWSMITH_RECORD: one line a class, whoever writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

#include "deploy/manifest.h"
#include "flow/child.h"

namespace rowsmith::test {
namespace {

class record : public testing::Test {
 protected:
  std::string file() const { return (home_.path() / "requests, ä.jsonl").string(); }
  child_answer call(std::vector<std::string> arguments, std::vector<std::string> extra = {}) {
    extra.push_back("ROWSMITH_CACHE_DIR=" + (home_.path() / "cache").string());
    extra.push_back("ROWSMITH_RECORD=" + file());
    return run_child(std::move(arguments), extra);
  }
  std::string text() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  long lines() const { return std::ranges::count(text(), '\n'); }

  private_folder home_;
};

TEST_F(record, one_line_a_class_and_none_twice) {
  ASSERT_EQ(call({"null", "512", "49", "512"}).exit_status, 0);
  EXPECT_EQ(lines(), 2) << text();
  ASSERT_EQ(call({"null", "49", "50", "512"}).exit_status, 0);
  EXPECT_EQ(lines(), 3) << "the second process read what the first wrote";
  const auto m = read_manifest(file());
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->entries.size(), 3u);
  EXPECT_TRUE(m->problems.empty());
}

TEST_F(record, many_processes_append_whole_lines) {
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i) {
    all.emplace_back([&, i] {
      std::vector<std::string> arguments = {"null"};
      for (int w = 0; w < 40; ++w) arguments.push_back(std::to_string(100 + (w + 5 * i) % 40));
      EXPECT_EQ(call(arguments, {"ROWSMITH_WIDTH=exact"}).exit_status, 0);
    });
  }
  for (std::thread& t : all) t.join();
  const auto m = read_manifest(file());
  ASSERT_TRUE(m.ok());
  EXPECT_TRUE(m->problems.empty());
  EXPECT_EQ(m->entries.size(), 40u);
}

TEST_F(record, a_torn_last_line_costs_that_line_only) {
  ASSERT_EQ(call({"null", "512"}).exit_status, 0);
  std::ofstream(file(), std::ios::app) << R"({"rowsmith":1,"op":"soft)";
  ASSERT_EQ(call({"null", "49"}).exit_status, 0);
  const auto m = read_manifest(file());
  EXPECT_EQ(m->entries.size(), 2u);
  EXPECT_EQ(m->problems.size(), 1u);
}

TEST_F(record, a_refused_call_and_the_fallback_are_recorded) {
  const child_answer refused = call({"host", "512"}, {"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_EQ(lines(), 1);
  EXPECT_EQ(call({"host", "513"}, {"ROWSMITH_FORCE_SCALAR=1"}).exit_status, 0);
  EXPECT_EQ(lines(), 2);
}

TEST_F(record, a_file_that_cannot_be_written_costs_nothing) {
  std::ofstream(home_.path() / "no folder") << "x";
  const std::string nowhere = (home_.path() / "no folder/requests.jsonl").string();
  const child_answer a = run_child({"null", "512"}, {"ROWSMITH_RECORD=" + nowhere, "ROWSMITH_LOG=warn",
                                                     "ROWSMITH_CACHE_DIR=" + (home_.path() / "cache").string()});
  EXPECT_EQ(a.exit_status, 0);
  EXPECT_THAT(a.output, testing::HasSubstr("ROWSMITH_RECORD"));
  const child_answer full = run_child({"null", "512"}, {"ROWSMITH_RECORD=/dev/full", "ROWSMITH_LOG=warn",
                                                        "ROWSMITH_CACHE_DIR=" + (home_.path() / "cache").string()});
  EXPECT_EQ(full.exit_status, 0);
}

}  // namespace
}  // namespace rowsmith::test
