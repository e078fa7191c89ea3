// The whole road, each step a process of its own: record, warm, export, import elsewhere, run where nothing may
// compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/subprocess.h"
#include "flow/child.h"

namespace rowsmith::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct outcome {
  int exit;
  std::string text;
  json object() const {
    const auto at = text.find('{');
    return at == std::string::npos ? json() : json::parse(text.substr(at), nullptr, false);
  }
};

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class road : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (home_.path() / name).string(); }

  outcome command(std::vector<std::string> arguments, std::vector<std::string> environment = {}) const {
    arguments.insert(arguments.begin(), ROWSMITH_CLI_PATH);
    const bool elsewhere = std::ranges::any_of(
        environment, [](const std::string& line) { return line.starts_with("ROWSMITH_CACHE_DIR="); });
    if (!elsewhere) environment.push_back("ROWSMITH_CACHE_DIR=" + path("user"));
    environment.push_back("ROWSMITH_REMOTE_KEY_FILE=");
    const auto ran = rowsmith::run(arguments, {}, environment);
    if (!ran) return {-1, ran.status().to_string()};
    return {ran->exit_status, ran->output};
  }

  // What softmax_child recorded on `device`.
  std::string recorded(const std::string& device, std::vector<std::string> widths) const {
    widths.insert(widths.begin(), device);
    const child_answer a = run_child(widths, {"ROWSMITH_RECORD=" + path("requests.jsonl"),
                                              "ROWSMITH_CACHE_DIR=" + path("recording"), "ROWSMITH_FORCE_SCALAR=1"});
    EXPECT_EQ(a.exit_status, 0) << a.output;
    return path("requests.jsonl");
  }

  void write_key(const std::string& name, char c) const {
    std::ofstream(path(name)) << std::string(32, c);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  private_folder home_;
};

bool has_host_compiler() { return rowsmith::run({"c++", "--version"}).ok(); }

TEST_F(road, from_a_recording_to_a_strict_run_without_compiles) {
  if (!has_host_compiler()) GTEST_SKIP() << "no compiler here";
  const std::string manifest = recorded("host", {"512", "49", "1000"});
  const outcome warmed = command({"warm", manifest, "--target", "host", "--json"});
  ASSERT_EQ(warmed.exit, 0) << warmed.text;
  EXPECT_EQ(warmed.object()["targets"][0]["built"], 3);
  write_key("key", 'k');
  ASSERT_EQ(command({"cache", "export", path("bundle"), "--key-file", path("key")}).exit, 0);

  const outcome in =
      command({"cache", "import", path("bundle"), "--into", path("elsewhere"), "--key-file", path("key"), "--json"});
  ASSERT_EQ(in.exit, 0) << in.text;
  EXPECT_EQ(in.object()["added"], 3);
  EXPECT_EQ(in.object()["signed"], true);
  const std::vector<std::string> there = {"ROWSMITH_CACHE_DIR=" + path("elsewhere")};
  const outcome covered = command({"cache", "coverage", manifest, "--target", "host", "--json"}, there);
  EXPECT_EQ(covered.exit, 0) << covered.text;
  EXPECT_EQ(covered.object()["targets"][0]["percent"], 100.0);
  const child_answer ran =
      run_child({"host", "512", "49", "1000"}, {there[0], "ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"});
  EXPECT_EQ(ran.exit_status, 0) << ran.output;
  EXPECT_EQ(ran["compiled"], "0");
  EXPECT_EQ(ran["disk"], "3");
}

// Masks, causal limits, tables and scalars: recorded with one set of numbers, met with another, where nothing may
// compile.
TEST_F(road, calls_of_many_operands_hit_what_was_warmed) {
  if (!has_host_compiler()) GTEST_SKIP() << "no compiler here";
  struct call {
    std::vector<std::string> same, recorded, met;
  };
  const std::vector<call> calls = {
      {{"--with", "mask,bias,lse", "--set", "mask=keep", "--shape-of", "mask=1x48,bias=48"},
       {"--shape", "6x9x48", "--scalar", "scale=0.5"},
       {"--shape", "4x5x48", "--scalar", "scale=0.25"}},
      {{}, {"--shape", "6x9x48", "--causal", "0"}, {"--shape", "3x9x48", "--causal", "3"}},
      {{"--post", "x * p0 + in1", "--shape-of", "in1=48"},
       {"--shape", "6x9x48", "--param", "p0=2"},
       {"--shape", "7x48", "--param", "p0=3"}},
      {{"--with", "index,lse"}, {"--shape", "30x48", "--table-rows", "100"}, {"--shape", "7x48", "--table-rows", "9"}}};
  const auto run = [&](const call& c, const std::vector<std::string>& own, std::vector<std::string> environment) {
    std::vector<std::string> words = {"run", "softmax",  "--device", "host",  "--dtype",
                                      "f16", "--repeat", "1",        "--json"};
    words.insert(words.end(), c.same.begin(), c.same.end());
    words.insert(words.end(), own.begin(), own.end());
    return command(words, std::move(environment));
  };
  const std::string manifest = path("requests.jsonl");
  for (const call& c : calls) {
    const outcome o = run(c, c.recorded, {"ROWSMITH_RECORD=" + manifest, "ROWSMITH_CACHE_DIR=" + path("recording")});
    ASSERT_EQ(o.exit, 0) << o.text;
  }
  const outcome warmed = command({"warm", manifest, "--target", "host", "--target", "null", "--json"});
  ASSERT_EQ(warmed.exit, 0) << warmed.text;
  EXPECT_EQ(warmed.object()["targets"][0]["built"], calls.size()) << content(manifest);
  for (const call& c : calls) {
    const outcome o = run(c, c.met, {"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"});
    ASSERT_EQ(o.exit, 0) << o.text;
    EXPECT_EQ(o.object()["source"], "disk") << o.text;
    EXPECT_EQ(o.object()["within_tolerance"], true) << o.text;
  }
}

TEST_F(road, warming_again_builds_nothing_and_mends_what_is_damaged) {
  const std::string manifest = recorded("null", {"512", "49"});
  const std::vector<std::string> warm = {"warm", manifest, "--target", "null", "--alignments", "recorded", "--json"};
  EXPECT_EQ(command(warm).object()["targets"][0]["built"], 2);
  const json again = command(warm).object();
  EXPECT_EQ(again["targets"][0]["present"], 2);
  EXPECT_EQ(again["targets"][0]["compiles"], 0);
  for (const auto& file : std::filesystem::recursive_directory_iterator(path("user"))) {
    if (file.path().extension() == ".rsk") std::filesystem::resize_file(file.path(), 100);
  }
  EXPECT_EQ(command(warm).object()["targets"][0]["built"], 2);
}

TEST_F(road, one_target_that_fails_does_not_stop_the_others) {
  const std::string manifest = recorded("null", {"512"});
  std::ofstream(manifest, std::ios::app) << "{\"rowsmith\":9}\n";
  const outcome o = command({"warm", manifest, "--target", "sm_999", "--target", "gfx9zz", "--target", "gfx999",
                             "--target", "nonsense", "--target", "null", "--target", "null", "--json"});
  EXPECT_EQ(o.exit, 13) << o.text;
  const json r = o.object();
  ASSERT_EQ(r["targets"].size(), 6u) << o.text;
  for (const int i : {0, 1, 2, 3, 5}) EXPECT_FALSE(r["targets"][i]["problem"].is_null()) << r["targets"][i];
  EXPECT_GE(r["targets"][4]["built"], 1);
  EXPECT_EQ(r["targets"][4]["failed"], 0);
  EXPECT_EQ(r["refused_lines"].size(), 1u);
}

TEST_F(road, a_compiler_that_refuses_a_kernel_is_told_with_its_log) {
  const std::string manifest = recorded("null", {"512"});
  const std::string broken = path("broken-c++");
  std::ofstream(broken) << "#!/bin/sh\ncase \"$*\" in *--version*|*-v*|*-print*|*-dump*) exec c++ \"$@\";; esac\necho "
                           "no such luck >&2\nexit 1\n";
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  const outcome o =
      command({"warm", manifest, "--target", "host", "--target", "null", "--json"}, {"ROWSMITH_CXX=" + broken});
  EXPECT_EQ(o.exit, 13) << o.text;
  const json r = o.object();
  if (r["targets"][0]["problem"].is_null()) {
    ASSERT_EQ(r["targets"][0]["failures"].size(), 1u) << o.text;
    EXPECT_THAT(r["targets"][0]["failures"][0]["log"].get<std::string>(), HasSubstr("no such luck"));
  }
  EXPECT_GE(r["targets"][1]["built"], 1);
}

TEST_F(road, bundles_of_the_same_kernels_are_the_same_bytes) {
  const std::string manifest = recorded("null", {"512", "49", "50257", "7"});
  std::vector<std::string> targets = {"null", "null:wave64"};
  if (has_host_compiler()) targets.push_back("host");
  for (const char* place : {"a", "b"}) {
    std::vector<std::string> warm = {"warm", manifest, "--cache-dir", path(place), "--jobs", *place == 'a' ? "1" : "2"};
    for (const std::string& t : targets) warm.insert(warm.end(), {"--target", t});
    ASSERT_EQ(command(warm).exit, 0);
    ASSERT_EQ(command({"cache", "export", path(std::string(place) + ".rsb"), "--cache-dir", path(place)}).exit, 0);
  }
  EXPECT_EQ(content(path("a.rsb")), content(path("b.rsb")));
  ASSERT_EQ(command({"cache", "export", path("some.rsb"), "--cache-dir", path("a"), "--target", "null:wave64"}).exit,
            0);
  EXPECT_LT(content(path("some.rsb")).size(), content(path("a.rsb")).size());
}

TEST_F(road, cpu_code_is_taken_from_signed_bundles_only) {
  if (!has_host_compiler()) GTEST_SKIP() << "no compiler here";
  const std::string manifest = recorded("host", {"512"});
  ASSERT_EQ(command({"warm", manifest, "--target", "host", "--target", "null"}).exit, 0);
  ASSERT_EQ(command({"cache", "export", path("plain")}).exit, 0);
  const outcome refused = command({"cache", "import", path("plain"), "--into", path("x"), "--json"});
  EXPECT_EQ(refused.exit, 13);
  EXPECT_EQ(refused.object()["host_refused"], 1);
  EXPECT_GE(refused.object()["added"], 1) << "the others are not CPU code";
  EXPECT_EQ(command({"cache", "import", path("plain"), "--into", path("y"), "--allow-host"}).exit, 0);

  write_key("key", 'k');
  write_key("wrong", 'w');
  ASSERT_EQ(command({"cache", "export", path("signed"), "--key-file", path("key")}).exit, 0);
  EXPECT_EQ(command({"cache", "import", path("signed"), "--into", path("z")}).exit, 13)
      << "without a key nothing is proved";
  EXPECT_EQ(command({"cache", "import", path("signed"), "--into", path("w"), "--key-file", path("wrong")}).exit, 7);
  EXPECT_EQ(command({"cache", "import", path("plain"), "--into", path("w"), "--key-file", path("key")}).exit, 7);
  EXPECT_FALSE(std::filesystem::exists(path("w"))) << "nothing is taken";
  EXPECT_EQ(
      command({"cache", "import", path("signed"), "--into", path("w"), "--key-file", path("key"), "--dry-run"}).exit,
      0);
  EXPECT_FALSE(std::filesystem::exists(path("w")));
}

TEST_F(road, what_is_damaged_in_a_bundle_is_left_out) {
  const std::string manifest = recorded("null", {"512", "49"});
  ASSERT_EQ(command({"warm", manifest, "--target", "null"}).exit, 0);
  ASSERT_EQ(command({"cache", "export", path("good")}).exit, 0);
  std::string bytes = content(path("good"));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(path("bad"), std::ios::binary) << bytes;
  EXPECT_EQ(command({"cache", "import", path("bad"), "--into", path("x")}).exit, 7);
  EXPECT_FALSE(std::filesystem::exists(path("x")));
  EXPECT_EQ(command({"cache", "import", path("absent"), "--into", path("x")}).exit, 4);
}

// One NVRTC's bundle, used by a host with none: the compiler is hidden, the bundle is a site directory.
TEST_F(road, a_bundle_hits_without_a_compiler) {
  const std::string manifest = recorded("null", {"512", "49"});
  const outcome warmed = command({"warm", manifest, "--target", "sm_90", "--json"});
  if (!warmed.object()["targets"][0]["problem"].is_null()) GTEST_SKIP() << "no NVRTC here";
  ASSERT_EQ(warmed.exit, 0) << warmed.text;
  ASSERT_EQ(command({"cache", "export", path("bundle")}).exit, 0);
  ASSERT_EQ(command({"cache", "import", path("bundle"), "--into", path("site")}).exit, 0);
  const std::vector<std::string> ask = {"cache", "coverage", manifest, "--target", "sm_90", "--json"};
  // Its own empty cache, and either no compiler, or another one.
  for (const std::string& compiler : {std::string("ROWSMITH_STRICT=0"), "ROWSMITH_CUDA_LIBS=" + path("nothing")}) {
    const outcome o =
        command(ask, {"ROWSMITH_CACHE_DIR=" + path("other"), "ROWSMITH_SITE_DIRS=" + path("site"), compiler});
    EXPECT_EQ(o.exit, 0) << o.text;
    EXPECT_EQ(o.object()["targets"][0]["percent"], 100.0);
  }
  EXPECT_EQ(command(ask, {"ROWSMITH_CACHE_DIR=" + path("other")}).exit, 8);
}

// Another compiler on a host device: the user's own directory wants its own compiler's kernels, a site directory does
// not.
TEST_F(road, a_bundle_of_another_compiler_hits_in_a_site_directory) {
  if (!has_host_compiler()) GTEST_SKIP() << "no compiler here";
  const std::string manifest = recorded("host", {"512"});
  const std::string other = path("other-c++");  // the same, but it calls itself by another version
  std::ofstream(other) << "#!/bin/sh\ncase \"$1\" in --version) echo 'other-c++ 99.1';; *) exec c++ \"$@\";; esac\n";
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  const outcome warmed = command({"warm", manifest, "--target", "host", "--json"}, {"ROWSMITH_CXX=" + other});
  if (warmed.exit != 0) GTEST_SKIP() << warmed.text;
  ASSERT_EQ(command({"cache", "export", path("bundle")}).exit, 0);
  const outcome in = command({"cache", "import", path("bundle"), "--into", path("site"), "--allow-host", "--json"});
  ASSERT_EQ(in.exit, 0) << in.text;
  EXPECT_EQ(in.object()["other_compiler"], 1);
  const std::vector<std::string> never = {"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1",
                                          "ROWSMITH_CACHE_DIR=" + path("empty")};
  EXPECT_EQ(run_child({"host", "512"}, never).exit_status, 1);
  auto with_site = never;
  with_site.push_back("ROWSMITH_SITE_DIRS=" + path("site"));
  const child_answer a = run_child({"host", "512"}, with_site);
  EXPECT_EQ(a.exit_status, 0) << a.output;
  EXPECT_EQ(a["disk"], "1");
}

// Several at once over one directory share the work.
TEST_F(road, case_17_many_that_warm_together_build_each_kernel_once) {
  std::vector<std::string> widths;
  for (int i = 0; i < 30; ++i) widths.push_back(std::to_string(64 + 8 * i));
  const child_answer a = run_child(
      [&] {
        auto w = widths;
        w.insert(w.begin(), "null");
        return w;
      }(),
      {"ROWSMITH_RECORD=" + path("requests.jsonl"), "ROWSMITH_WIDTH=exact", "ROWSMITH_CACHE_DIR=" + path("recording"),
       "ROWSMITH_FORCE_SCALAR=1"});
  ASSERT_EQ(a.exit_status, 0) << a.output;
  const std::vector<std::string> warm = {
      "warm", path("requests.jsonl"), "--target", "null", "--alignments", "recorded", "--jobs", "2", "--json"};
  std::vector<outcome> all(8);
  std::vector<std::thread> threads;
  for (outcome& o : all) threads.emplace_back([&] { o = command(warm); });
  for (std::thread& t : threads) t.join();
  std::int64_t built = 0;
  for (const outcome& o : all) {
    ASSERT_EQ(o.exit, 0) << o.text;
    const json t = o.object()["targets"][0];
    EXPECT_EQ(t["built"].get<int>() + t["present"].get<int>(), 30);
    built += t["built"].get<int>();
  }
  std::printf("8 processes, 30 kernels: %lld built\n", static_cast<long long>(built));
  EXPECT_GE(built, 30);
  EXPECT_LE(built, 60);
}

TEST_F(road, coverage_names_what_differs) {
  const std::string manifest = recorded("null", {"512"});
  ASSERT_EQ(command({"warm", manifest, "--target", "null"}).exit, 0);
  (void)recorded("null", {"513"});
  const outcome o = command({"cache", "coverage", manifest, "--target", "null", "--target", "null:wave64", "--json"});
  EXPECT_EQ(o.exit, 8);
  const json r = o.object();
  EXPECT_EQ(r["targets"][0]["present"], 1);
  ASSERT_EQ(r["targets"][0]["missing"].size(), 1u);
  EXPECT_THAT(r["targets"][0]["missing"][0]["differs"].dump(), HasSubstr("facts"));
  EXPECT_EQ(r["targets"][1]["missing"].size(), 2u);
  EXPECT_THAT(r["targets"][1]["missing"][0]["differs"].dump(), HasSubstr("target"));
  EXPECT_THAT(command({"cache", "coverage", manifest, "--target", "null"}).text, HasSubstr("50.0 %"));
}

TEST_F(road, why_miss_diffs_the_keys) {
  const std::string manifest = recorded("null", {"512"});
  const std::vector<std::string> explain = {"explain", "softmax",  "--shape", "8x512",     "--dtype",
                                            "f32",     "--target", "null",    "--why-miss"};
  EXPECT_THAT(command(explain).text, HasSubstr("the cache is empty"));
  ASSERT_EQ(command({"warm", manifest, "--target", "null"}).exit, 0);
  const outcome hit = command(explain);
  EXPECT_EQ(hit.exit, 0) << hit.text;
  EXPECT_THAT(hit.text, HasSubstr("would hit"));
  auto other = explain;
  other[3] = "8x514";
  const outcome miss = command(other);
  EXPECT_EQ(miss.exit, 8);
  EXPECT_THAT(miss.text, HasSubstr("width=514"));
  EXPECT_THAT(miss.text, HasSubstr("width=512"));
  other.push_back("--json");
  EXPECT_EQ(command(other).object()["launches"][0]["why_miss"]["differences"][0]["field"], "facts");
}

TEST_F(road, care_of_a_directory) {
  const std::string manifest = recorded("null", {"512", "49", "7"});
  ASSERT_EQ(command({"warm", manifest, "--target", "null", "--alignments", "recorded"}).exit, 0);
  const json list = command({"cache", "list", "--json"}).object();
  ASSERT_EQ(list["entries"].size(), 3u);
  const std::string digest = list["entries"][0]["digest"];
  const json shown = command({"cache", "show", digest.substr(0, 10), "--json"}).object();
  EXPECT_EQ(shown["entries"][0]["digest"], digest);
  EXPECT_EQ(shown["entries"][0]["problem"], "");
  EXPECT_EQ(command({"cache", "show", "zz"}).exit, 4);

  const std::string file = shown["entries"][0]["file"];
  std::filesystem::resize_file(file, 60);
  const outcome damaged = command({"cache", "verify", "--json"});
  EXPECT_EQ(damaged.exit, 7);
  EXPECT_EQ(damaged.object()["damaged"][0]["digest"], digest);
  EXPECT_NE(damaged.object()["damaged"][0]["problem"], "");
  EXPECT_TRUE(std::filesystem::exists(file)) << "looking changes nothing";
  EXPECT_EQ(command({"cache", "verify", "--repair"}).exit, 0);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(command({"cache", "verify"}).exit, 0);

  EXPECT_EQ(command({"cache", "prune", "--max-bytes", "1G", "--json"}).object()["removed"], 0);
  EXPECT_EQ(command({"cache", "prune", "--max-bytes", "many"}).exit, 3);
  EXPECT_EQ(command({"cache", "prune", "--max-bytes", "0", "--json"}).object()["removed"], 3) << "one set aside";
  ASSERT_EQ(command({"warm", manifest, "--target", "null", "--alignments", "recorded"}).exit, 0);
  EXPECT_EQ(command({"cache", "clear", "--json"}).object()["removed"], 3);
  EXPECT_EQ(command({"cache", "list", "--json"}).object()["entries"].size(), 0u);
}

// Reading what is no file may never end, and writing over it destroys what is not ours.
TEST_F(road, what_is_no_regular_file_is_neither_read_nor_replaced) {
  const std::string manifest = recorded("null", {"512"});
  ASSERT_EQ(command({"warm", manifest, "--target", "null", "--alignments", "recorded"}).exit, 0);
  const std::string entry = command({"cache", "list", "--json"}).object()["entries"][0]["digest"];
  const std::string file = command({"cache", "show", entry, "--json"}).object()["entries"][0]["file"];
  const std::vector<std::function<void()>> kinds = {[&] { ::mkfifo(file.c_str(), 0600); },
                                                    [&] { std::filesystem::create_directory(file); },
                                                    [&] { std::filesystem::create_symlink("/dev/zero", file); }};
  for (const auto& make : kinds) {
    std::filesystem::remove(file);
    make();
    const outcome verified = command({"cache", "verify", "--json"});
    EXPECT_EQ(verified.exit, 7) << verified.text;
    EXPECT_EQ(verified.object()["damaged"][0]["problem"], "it is no regular file");
    const outcome written = command({"cache", "export", file});
    EXPECT_EQ(written.exit, 9) << written.text;
    EXPECT_THAT(written.text, HasSubstr(file));
    EXPECT_FALSE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
  }
}

TEST_F(road, doctor_tells_owner_and_mode_of_every_layer) {
  ASSERT_EQ(command({"warm", recorded("null", {"512"}), "--target", "null"}).exit, 0);
  std::filesystem::create_directory(path("site"));
  std::filesystem::permissions(path("site"), static_cast<std::filesystem::perms>(0777));
  const json r = command({"doctor", "--json"}, {"ROWSMITH_SITE_DIRS=" + path("site")}).object();
  ASSERT_EQ(r["cache"].size(), 3u) << r["cache"];
  EXPECT_EQ(r["cache"][1]["name"], "user");
  EXPECT_EQ(r["cache"][1]["mode"], "0700");
  EXPECT_NE(r["cache"][1]["owner"], "");
  EXPECT_EQ(r["cache"][1]["problem"], "");
  EXPECT_EQ(r["cache"][2]["mode"], "0777");
  EXPECT_THAT(r["cache"][2]["problem"].get<std::string>(), HasSubstr("0777"));
}

TEST_F(road, refusals_have_their_exit_codes) {
  EXPECT_EQ(command({"warm", path("absent"), "--target", "null"}).exit, 4);
  EXPECT_EQ(command({"warm", path("absent")}).exit, 2);
  const std::string manifest = recorded("null", {"512"});
  EXPECT_EQ(command({"warm", manifest, "--target", "null", "--alignments", "some"}).exit, 3);
  EXPECT_EQ(command({"warm", manifest, "--target", "null", "--jobs", "-1"}).exit, 3);
  EXPECT_EQ(command({"warm", manifest, "--target", "null", "--cache-dir", "relative"}).exit, 3);
  std::filesystem::create_directory(path("open"));
  std::filesystem::permissions(path("open"), static_cast<std::filesystem::perms>(0777));
  EXPECT_EQ(command({"warm", manifest, "--target", "null", "--cache-dir", path("open")}).exit, 10);
}

}  // namespace
}  // namespace rowsmith::test
