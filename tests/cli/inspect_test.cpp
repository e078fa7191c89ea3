// The verbs that look without running: explain, devices, doctor, cache, version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/exit_codes.h"
#include "command.h"
#include "support/private_folder.h"

namespace rowsmith::cli_test {
namespace {

using testing::HasSubstr;

class explain_on : public testing::TestWithParam<const char*> {};

TEST_P(explain_on, plans_without_a_device) {
  const std::string target = GetParam();
  const outcome o =
      rowsmith("explain softmax --shape 4x32x512x512 --dtype f16 --no-compile --source --json --target " + target);
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto e = o.object();
  ASSERT_TRUE(e.is_object()) << o.out;
  EXPECT_THAT(e["target"].get<std::string>(), HasSubstr(target == "host" ? "" : target));
  EXPECT_NE(e["plan"], "");
  EXPECT_NE(e["facts"], "");
  EXPECT_FALSE(e["why"].empty());
  EXPECT_TRUE(e["rejected"].is_array());
  ASSERT_FALSE(e["launches"].empty());
  const auto& l = e["launches"][0];
  EXPECT_NE(l["strategy"], "");
  EXPECT_EQ(l["digest"].get<std::string>().size(), 32u);
  EXPECT_THAT(l["source"].get<std::string>(), HasSubstr("softmax"));
  EXPECT_EQ(l["compiled"], false);
  EXPECT_TRUE(l["registers"].is_null());
}

TEST_P(explain_on, text_has_the_parts) {
  const outcome o =
      rowsmith(std::string("explain softmax --shape 64x1000 --dtype bf16 --no-compile --target ") + GetParam());
  ASSERT_EQ(o.exit, 0) << o.err;
  for (const char* word : {"Facts", "Plan", "Why", "Launch"}) EXPECT_THAT(o.out, HasSubstr(word));
}

TEST_P(explain_on, tells_what_width_and_what_invariance_make_of_a_call) {
  const std::string call =
      std::string("explain softmax --shape 64x1000 --dtype bf16 --no-compile --target ") + GetParam();
  EXPECT_THAT(rowsmith(call).out, HasSubstr("width exact: one of the first"));
  EXPECT_THAT(rowsmith(call + " --width exact").out, HasSubstr("width exact, as the call says"));
  const outcome any = rowsmith(call + " --width any"), invariant = rowsmith(call + " --batch-invariant");
  EXPECT_THAT(any.out, HasSubstr("width=any<=1024"));
  EXPECT_THAT(any.out, HasSubstr("width any, as the call says"));
  EXPECT_THAT(invariant.out, HasSubstr("width=1000 outer=1 options=0x0 batch_invariant"));
  EXPECT_THAT(invariant.out, HasSubstr("width exact: calls that are deterministic, batch-invariant"));
}

INSTANTIATE_TEST_SUITE_P(targets, explain_on, testing::Values("sm_90", "gfx906", "host"));

// With a compiler for the target at hand the figures are there; without one the reason is.
TEST(explain, reads_machine_code_or_says_why_not) {
  for (const std::string target : {"sm_90", "gfx906"}) {
    const outcome o = rowsmith("explain softmax --shape 64x1024 --dtype f16 --json --target " + target);
    ASSERT_EQ(o.exit, 0) << o.err;
    const auto l = o.object()["launches"][0];
    if (l["compiled"] == true) {
      EXPECT_GT(l["registers"], 0) << target;
      EXPECT_EQ(l["spills"], 0) << target;
      EXPECT_GT(l["wide_loads"], 0) << target;
    } else {
      EXPECT_NE(l["compile_error"], "") << target;
    }
  }
}

TEST(devices, the_host_comes_first) {
  const outcome o = rowsmith("devices --json");
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto d = o.object();
  ASSERT_FALSE(d["devices"].empty()) << o.out;
  EXPECT_EQ(d["devices"][0]["device"], "host");
  EXPECT_THAT(rowsmith("devices").out, HasSubstr("host"));
}

TEST(doctor, tells_options_libraries_and_cache) {
  const outcome o = rowsmith("doctor --json");
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto d = o.object();
  for (const char* field : {"options", "libraries", "cache", "complaints", "lower_caches"}) {
    EXPECT_TRUE(d[field].is_array()) << field;
  }
  bool found = false;
  for (const auto& option : d["options"]) found = found || option["name"] == "ROWSMITH_CACHE_DIR";
  EXPECT_TRUE(found);
  const outcome text = rowsmith("doctor");
  for (const char* word : {"Options", "Libraries", "Cache"}) EXPECT_THAT(text.out, HasSubstr(word));
}

TEST(doctor, complains_of_illegal_values) {
  const outcome o = rowsmith("doctor --json", "ROWSMITH_COMPILE=perhaps");
  EXPECT_EQ(o.exit, cli::exit_invalid_argument);
  ASSERT_FALSE(o.object()["complaints"].empty());
  EXPECT_THAT(o.object()["complaints"][0].get<std::string>(), HasSubstr("ROWSMITH_COMPILE"));
}

TEST(version, is_a_number) {
  const auto v = rowsmith("version --json").object();
  EXPECT_THAT(v["version"].get<std::string>(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(cache, stats_and_an_empty_list) {
  const test::private_folder folder;
  const std::string environment = "ROWSMITH_CACHE_DIR='" + folder.path().string() + "'";
  EXPECT_TRUE(rowsmith("cache list --json", environment).object()["entries"].empty());
  EXPECT_FALSE(rowsmith("cache stats --json", environment).object()["layers"].empty());
  EXPECT_EQ(rowsmith("cache verify", environment).exit, 0);
}

TEST(cache, verify_finds_a_damaged_entry) {
  namespace fs = std::filesystem;
  const test::private_folder folder;
  const std::string environment = "ROWSMITH_CACHE_DIR='" + folder.path().string() + "'";
  ASSERT_EQ(rowsmith("run softmax --device host --repeat 1 --shape 8x40 --dtype f32", environment).exit, 0);
  fs::path entry;
  for (const auto& file : fs::recursive_directory_iterator(folder.path())) {
    if (file.path().extension() == ".rsk") entry = file.path();
  }
  if (entry.empty()) GTEST_SKIP() << "nothing was cached: no compiler here";
  EXPECT_EQ(rowsmith("cache verify", environment).exit, 0);

  {
    std::fstream bytes(entry, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(entry) / 2));
    const int old = bytes.peek();
    bytes.put(static_cast<char>(old ^ 1));
  }
  const outcome o = rowsmith("cache verify --json", environment);
  EXPECT_EQ(o.exit, cli::exit_verify_failed);
  const auto v = o.object();
  ASSERT_EQ(v["damaged"].size(), 1u) << o.out;
  EXPECT_NE(v["damaged"][0]["problem"], "");
}

}  // namespace
}  // namespace rowsmith::cli_test
