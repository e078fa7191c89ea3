// What the command says of layers of the cache that take no part, and of settings that nobody follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "command.h"
#include "support/private_folder.h"

namespace rowsmith::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_call = "softmax --shape 64x64 --dtype f16 --target null";

class layers_off : public testing::Test {
 protected:
  // A home whose own cache has the kernel of k_call.
  void SetUp() override {
    const std::string shape = R"("dtype":"f16","shape":[64,64]})";
    std::ofstream(manifest_) << R"({"rowsmith":1,"op":"softmax","options":0,"operands":[{"role":"x",)" << shape
                             << R"(,{"role":"y",)" << shape << "]}\n";
    const outcome o = rowsmith("warm '" + manifest_ + "' --target null", with(""));
    ASSERT_EQ(o.exit, 0) << o.err;
    ASSERT_EQ(rowsmith(coverage_, with("")).exit, 0);
  }

  // The environment of that home, and `more`.
  std::string with(const std::string& more) const {
    return "env -u ROWSMITH_CACHE_DIR -u XDG_CACHE_HOME HOME='" + home_ + "' " + more;
  }

  // Every verb that looks for kernels misses, and says why.
  void expect_missed(const std::string& environment, const std::string& why) const {
    const std::string miss = std::string("explain --why-miss --no-compile ") + k_call;
    for (const std::string& verb : {coverage_, miss}) {
      SCOPED_TRACE(verb);
      const outcome o = rowsmith(verb, with(environment));
      EXPECT_EQ(o.exit, cli::exit_would_compile) << o.out << o.err;
      EXPECT_THAT(o.out, HasSubstr(why));
      EXPECT_THAT(o.out, Not(HasSubstr("the cache is empty")));
    }
    const outcome list = rowsmith("cache list", with(environment));
    EXPECT_THAT(list.out, HasSubstr(why));
    EXPECT_THAT(list.out, Not(HasSubstr("the cache is empty")));
    const outcome show = rowsmith("cache show ''", with(environment));
    EXPECT_EQ(show.exit, cli::exit_not_found);
    EXPECT_THAT(show.err, HasSubstr(why));
    EXPECT_THAT(rowsmith("cache stats", with(environment)).out, HasSubstr(why));
    const auto layers = rowsmith("cache stats --json", with(environment)).object()["layers"];
    bool off = false;
    for (const auto& layer : layers) off = off || layer["state"] == "off";
    EXPECT_TRUE(off) << layers;
  }

  const test::private_folder folder_{"layers"};
  const std::string home_ = folder_.path().string();
  const std::string manifest_ = home_ + "/requests.jsonl";
  const std::string coverage_ = "cache coverage '" + manifest_ + "' --target null";
};

TEST_F(layers_off, a_relative_directory_is_not_replaced_by_the_homes_own) {
  expect_missed("ROWSMITH_CACHE_DIR=kernels", "ROWSMITH_CACHE_DIR: 'kernels' is a relative path");
  const outcome doctor = rowsmith("doctor --json", with("ROWSMITH_CACHE_DIR=kernels"));
  EXPECT_EQ(doctor.exit, cli::exit_invalid_argument);
  EXPECT_THAT(doctor.object()["complaints"].dump(), HasSubstr("ROWSMITH_CACHE_DIR"));
}

TEST_F(layers_off, a_refused_directory_is_named) {
  fs::create_directory(home_ + "/open");
  fs::permissions(home_ + "/open", static_cast<fs::perms>(0777));
  expect_missed("ROWSMITH_CACHE_DIR='" + home_ + "/open'", "mode 0777");
}

TEST_F(layers_off, a_directory_that_cannot_be_created_is_named) {
  expect_missed("ROWSMITH_CACHE_DIR=/proc/none", "/proc/none: cannot be created");
}

TEST_F(layers_off, a_site_directory_that_does_not_exist_is_named) {
  const std::string none = home_ + "/none";
  expect_missed("ROWSMITH_CACHE_DIR='" + home_ + "/fresh' ROWSMITH_SITE_DIRS='" + none + "'",
                none + ": does not exist");
}

TEST_F(layers_off, an_empty_cache_of_which_all_takes_part_is_called_empty) {
  EXPECT_THAT(rowsmith(coverage_, with("ROWSMITH_CACHE_DIR='" + home_ + "/fresh'")).out,
              HasSubstr("the cache is empty"));
  EXPECT_FALSE(fs::exists(home_ + "/fresh")) << "looking makes nothing";
}

TEST_F(layers_off, coverage_of_an_unknown_target_is_no_percentage) {
  const std::string verb = "cache coverage '" + manifest_ + "' --target z80";
  EXPECT_THAT(rowsmith(verb, with("")).out, Not(HasSubstr("100.0 %")));
  EXPECT_TRUE(rowsmith(verb + " --json", with("")).object()["targets"][0]["percent"].is_null());
}

TEST_F(layers_off, looking_changes_nothing) {
  const fs::file_time_type long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::vector<fs::path> entries;
  for (const fs::directory_entry& f : fs::recursive_directory_iterator(home_ + "/.cache/rowsmith")) {
    if (f.path().extension() == ".rsk") entries.push_back(f.path());
  }
  ASSERT_FALSE(entries.empty());
  std::fstream(entries.front(), std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('?');
  for (const fs::path& e : entries) fs::last_write_time(e, long_ago);
  for (const char* verb : {"cache list", "cache show ''", "cache stats", "cache verify", "doctor"}) {
    (void)rowsmith(verb, with(""));
    for (const fs::path& e : entries) {
      ASSERT_TRUE(fs::exists(e)) << verb;
      EXPECT_EQ(fs::last_write_time(e), long_ago) << verb;
    }
  }
  const auto shown = rowsmith("cache show '' --json", with("")).object()["entries"];
  const auto good = std::count_if(shown.begin(), shown.end(), [](const auto& e) { return e["problem"] == ""; });
  EXPECT_EQ(good, static_cast<std::ptrdiff_t>(entries.size()) - 1);
}

TEST_F(layers_off, warm_says_at_once_that_there_is_nowhere_to_write) {
  const outcome o = rowsmith("warm '" + manifest_ + "' --target null", with("ROWSMITH_CACHE_DIR=/proc/none"));
  EXPECT_EQ(o.exit, cli::exit_not_found);
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err, HasSubstr("/proc/none"));
}

TEST_F(layers_off, a_bundle_that_nobody_checked_is_said_to_be_so) {
  const std::string key = home_ + "/key", bundle = "'" + home_ + "/k.rsb'";
  std::ofstream(key) << "0123456789abcdef0123456789abcdef";
  fs::permissions(key, static_cast<fs::perms>(0600));
  const outcome made = rowsmith("cache export " + bundle + " --key-file '" + key + "'", with(""));
  if (made.exit != 0) GTEST_SKIP() << made.err;
  const std::string verb = "cache import --dry-run " + bundle;
  EXPECT_THAT(rowsmith(verb, with("")).out, HasSubstr("signed, not checked: no key given"));
  const auto unchecked = rowsmith(verb + " --json", with("")).object();
  EXPECT_EQ(unchecked["signed"], true);
  EXPECT_EQ(unchecked["checked"], false);
  EXPECT_EQ(rowsmith(verb + " --json --key-file '" + key + "'", with("")).object()["checked"], true);
}

TEST_F(layers_off, stats_tell_what_was_set_aside) {
  fs::path entry;
  for (const auto& file : fs::recursive_directory_iterator(home_ + "/.cache")) {
    if (file.path().extension() == ".rsk") entry = file.path();
  }
  fs::resize_file(entry, 60);
  EXPECT_EQ(rowsmith("cache verify --repair", with("")).exit, 0);
  EXPECT_THAT(rowsmith("cache stats", with("")).out, HasSubstr("1 damaged files set aside"));
  EXPECT_EQ(rowsmith("cache prune --max-bytes 0 --json", with("")).object()["removed"], 3) << "and two that are sound";
}

TEST_F(layers_off, doctor_names_variables_and_files_of_no_use) {
  for (const char* setting : {"ROWSMITH_CACHEDIR=/tmp/x", "ROWSMITH_RECORD=/none/requests.jsonl",
                              "ROWSMITH_REMOTE_KEY_FILE=/none/key", "ROWSMITH_SITE_DIRS=kernels"}) {
    SCOPED_TRACE(setting);
    const outcome o = rowsmith("doctor --json", with(setting));
    EXPECT_EQ(o.exit, cli::exit_invalid_argument);
    const std::string name = std::string(setting).substr(0, std::string(setting).find('='));
    EXPECT_THAT(o.object()["complaints"].dump(), HasSubstr(name));
  }
}

TEST_F(layers_off, what_is_misspelt_is_said_with_the_log_off) {
  for (const char* setting : {"ROWSMITH_COMPILE=nevr", "ROWSMITH_STRICT=yes"}) {
    SCOPED_TRACE(setting);
    const outcome o = rowsmith("run softmax --shape 8x40 --dtype f32 --device host --repeat 1",
                               with(std::string("ROWSMITH_FORCE_SCALAR=1 ") + setting));
    EXPECT_EQ(o.exit, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr(std::string(setting).substr(0, std::string(setting).find('='))));
  }
}

TEST(count, says_once_what_it_can_count) {
  for (const char* target : {"sm_90", "host", "gfx1030", "gfx936"}) {
    SCOPED_TRACE(target);
    const outcome o = rowsmith(std::string("explain softmax --shape 8x40 --dtype f32 --count --target ") + target);
    EXPECT_EQ(o.exit, cli::exit_unsupported);
    const std::string words = "counts are of gfx900, gfx906, gfx908 and gfx90a";
    EXPECT_THAT(o.err, HasSubstr(words));
    EXPECT_EQ(o.err.find(words), o.err.rfind(words));
  }
}

TEST(unknown_names, are_answered_with_the_known_ones) {
  const std::string call = "explain softmax --shape 8x40 --dtype f32 --no-compile ";
  EXPECT_THAT(rowsmith(call + "--with weight").err, HasSubstr("mask"));
  EXPECT_THAT(rowsmith(call + "--set colour=red").err, HasSubstr("mask"));
  EXPECT_THAT(rowsmith(call + "--scalar eps=1").err, HasSubstr("scale"));
}

TEST(usual_words, version_and_help_are_understood) {
  EXPECT_EQ(rowsmith("--version").out, rowsmith("version").out);
  EXPECT_EQ(rowsmith("help").out, rowsmith("--help").out);
  const outcome verb = rowsmith("help cache list");
  EXPECT_EQ(verb.exit, 0);
  EXPECT_EQ(verb.out, rowsmith("cache list --help").out);
}

}  // namespace
}  // namespace rowsmith::cli_test
