// What broke other kernel caches, one by one, through the library's own doors. Numbers are those of the collected
// cases.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <fstream>
#include <locale>
#include <thread>

#include "backend/backend.h"
#include "backend/library_identity.h"
#include "base/log.h"
#include "build/kernel_key.h"
#include "cache/disk_store.h"
#include "child.h"
#include "rowsmith/rowsmith.h"

namespace rowsmith::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class cases : public testing::Test {
 protected:
  child_answer call(std::vector<std::string> arguments, std::vector<std::string> extra = {}) {
    extra.push_back("ROWSMITH_CACHE_DIR=" + (home_.path() / "cache").string());
    return run_child(std::move(arguments), extra);
  }
  private_folder home_;
};

result<explanation> explain(std::int64_t width, const std::string& target, bool compile = false, dtype t = dtype::f16) {
  explain_options how;
  how.target = target;
  how.compile = compile;
  const device where{device_kind::host, 0};
  return explain_softmax(dense(static_cast<void*>(nullptr), t, {64, width}, where),
                         dense(static_cast<void*>(nullptr), t, {64, width}, where), {}, how);
}

bool compiles_for(const std::string& target) {
  const auto e = explain(512, target, true);
  return e.ok() && e->launches.front().compiled;
}

TEST_F(cases, case_2_case_3_a_compiler_is_what_its_file_holds_not_where_or_when) {
  const auto file = [&](const char* name, const char* text) {
    std::ofstream(home_.path() / name) << text;
    return (home_.path() / name).string();
  };
  const auto identity = [](const std::string& path) { return library_identity(std::span(&path, 1)); };
  const std::string a = file("a", "a compiler"), b = file("b", "a compiler"), c = file("c", "another one");
  const std::string before = identity(a);
  EXPECT_EQ(before, identity(b)) << "the path does not count";
  EXPECT_NE(before, identity(c));
  fs::last_write_time(a, fs::file_time_type::clock::now() - std::chrono::hours(1000));
  EXPECT_EQ(before, identity(a)) << "nor the time";
  file("a", "b compiler");
  EXPECT_NE(before, identity(a)) << "reinstalled under the same name";
}

TEST_F(cases, case_9_neighbouring_architectures_are_told_apart) {
  const auto a = explain(512, "gfx906"), b = explain(512, "gfx908"), c = explain(512, "gfx936");
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_NE(a->launches[0].digest, b->launches[0].digest);
  EXPECT_NE(b->launches[0].digest, c->launches[0].digest);
  EXPECT_THAT(a->launches[0].key, HasSubstr("what target = gfx906\n"));
}

TEST_F(cases, case_11_the_device_is_the_views_own) {
  float x[8] = {};
  for (const auto kind : {device_kind::host, device_kind::null}) {
    const auto v = dense(x, dtype::f32, {1, 8}, {kind, 1});
    const status s = softmax(v);
    EXPECT_EQ(s.error(), code::not_found) << s.to_string();
    EXPECT_THAT(s.message(), HasSubstr("device 1"));
  }
}

TEST_F(cases, case_15_a_damaged_entry_is_reported_with_its_file) {
  cache::disk_options o;
  o.root = (home_.path() / "kernels").string();
  cache::disk_store s(o);
  cache::key k;
  k.add_what("op", "x");
  ASSERT_TRUE(s.put({k, {}, "binary", {}}).ok());
  std::ofstream(s.path_of(k)) << "junk";
  static std::string line;
  set_log([](log_level, std::string_view text, void*) { line = text; }, nullptr, log_level::warn);
  EXPECT_FALSE(s.get(k, cache::accept::any).ok());
  set_log(nullptr, nullptr, log_level::off);
  EXPECT_THAT(line, HasSubstr(s.path_of(k)));
}

TEST_F(cases, case_42_a_cached_kernel_needs_no_tool_to_load) {
  ASSERT_EQ(call({"host", "512"})["compiled"], "1");
  const child_answer again = call({"host", "512"}, {"PATH=/nowhere", "CXX=", "TMPDIR=/nowhere"});
  EXPECT_EQ(again.exit_status, 0) << again.output;
  EXPECT_EQ(again["source"], "disk");
}

TEST_F(cases, case_43_case_58_sources_need_no_header_and_no_precompiled_one) {
  for (const char* target : {"sm_80", "sm_90", "gfx906", "gfx936"}) {
    for (const dtype t : {dtype::f32, dtype::f16, dtype::bf16}) {
      const auto e = explain(1000, target, false, t);
      ASSERT_TRUE(e.ok()) << e.status().to_string();
      EXPECT_THAT(e->launches[0].source, Not(HasSubstr("#include <"))) << target;
      EXPECT_THAT(e->launches[0].source, Not(HasSubstr("fp16.h"))) << target;
      EXPECT_THAT(e->launches[0].key, Not(HasSubstr("pch"))) << target;
    }
  }
}

TEST_F(cases, case_45_machine_code_not_ptx) {
  if (!compiles_for("sm_90")) GTEST_SKIP() << "no NVRTC";
  backend& cuda = *backend_for(device_kind::cuda);
  const auto t = cuda.traits_of("sm_90");
  source s;
  s.name = s.entry = "k";
  s.text = "extern \"C\" __global__ void k(int* p) { *p = 1; }";
  const auto made = cuda.compile(s, *t);
  ASSERT_TRUE(made.ok()) << made.status().to_string() << made.status().detail();
  EXPECT_EQ(std::memcmp(made->code.data(), "\177ELF", 4), 0);
}

struct thousands : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(cases, case_47_no_locale_changes_a_key) {
  const auto plain = explain(50257, "sm_90");
  ASSERT_TRUE(plain.ok());
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new thousands));
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8", "C.UTF-8"}) (void)std::setlocale(LC_ALL, name);
  const auto other = explain(50257, "sm_90");
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(plain->launches[0].key, other->launches[0].key);
  EXPECT_EQ(plain->launches[0].source, other->launches[0].source);
}

TEST_F(cases, case_60_compilers_are_asked_by_many_threads_at_once) {
  for (const char* target : {"host", "sm_90", "gfx906"}) {
    if (!compiles_for(target)) continue;
    std::vector<std::thread> threads;
    std::atomic<int> failed{0};
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const auto e = explain(320 + 64 * i, target, true);
        if (!e || !e->launches[0].compiled) ++failed;
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(failed, 0) << target;
  }
}

TEST_F(cases, case_67_a_missing_compiler_names_every_place) {
  for (const device_kind kind : {device_kind::cuda, device_kind::hip}) {
    for (const library_probe& p : backend_for(kind)->probe()) {
      if (p.purpose != "compiler") continue;
      EXPECT_FALSE(p.found.empty() && p.tried.empty()) << name_of(kind);
    }
  }
  const child_answer lost = call({"host", "512"}, {"ROWSMITH_CUDA_LIBS=/nowhere", "ROWSMITH_HIP_LIBS=/nowhere"});
  EXPECT_EQ(lost.exit_status, 0) << lost.output;
}

TEST_F(cases, case_40_case_68_the_compilers_own_builtins_are_loaded) {
  if (!compiles_for("sm_90")) GTEST_SKIP() << "no NVRTC";
  std::ifstream maps("/proc/self/maps");
  std::string nvrtc, builtins;
  for (std::string line; std::getline(maps, line);) {
    const auto slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    if (path.find("libnvrtc-builtins") != std::string::npos) {
      builtins = path;
    } else if (path.find("libnvrtc.so") != std::string::npos) {
      nvrtc = path;
    }
  }
  ASSERT_FALSE(nvrtc.empty());
  if (builtins.empty()) GTEST_SKIP() << "this NVRTC has its builtins inside";
  EXPECT_EQ(fs::path(nvrtc).parent_path(), fs::path(builtins).parent_path());
}

// A private file system that forbids execution, in a mount namespace of the child's own.
TEST_F(cases, case_34_case_70_a_cache_on_a_mount_without_execution) {
  const fs::path cache = home_.path() / "cache";
  fs::create_directory(cache);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", cache.c_str(), "tmpfs", MS_NOEXEC, "mode=700") != 0) {
      ::_exit(77);
    }
    const child_answer first = call({"host", "512"}), second = call({"host", "512"});
    ::_exit(first["source"] == "compiled" && second["source"] == "disk" ? 0 : 1);
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  if (WIFEXITED(state) && WEXITSTATUS(state) == 77) GTEST_SKIP() << "mounting is not allowed here";
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << state;
}

TEST_F(cases, case_71_compilers_find_a_place_for_their_files) {
  for (const std::string& tmpdir : {std::string("/nowhere"), std::string("/proc"), home_.path().string() + "/none"}) {
    const child_answer a = call({"host", "512"}, {"TMPDIR=" + tmpdir});
    EXPECT_EQ(a.exit_status, 0) << a.output;
    EXPECT_EQ(a["fallbacks"], "0") << tmpdir;
    fs::remove_all(home_.path() / "cache");
  }
  EXPECT_EQ(run_child({"host", "512"}, {"ROWSMITH_CACHE_DIR=/proc/none", "TMPDIR=/nowhere"})["compiled"], "1");
}

TEST_F(cases, case_69_two_copies_of_the_library_in_one_process) {
  const std::string other = (home_.path() / "librowsmith-copy.so").string();
  fs::copy_file(ROWSMITH_LIBRARY, other);
  for (const char* way : {"twice", "closed"}) {
    const child_answer a = call({way, ROWSMITH_LIBRARY, other});
    EXPECT_EQ(a.exit_status, 0) << way << ": " << a.output;
  }
}

TEST_F(cases, case_69_case_60_two_copies_compile_for_amd_in_turns) {
  if (!backend_for(device_kind::hip)->traits_of("gfx906")) GTEST_SKIP() << "no compiler for AMD";
  const std::string other = (home_.path() / "librowsmith-copy.so").string();
  fs::copy_file(ROWSMITH_LIBRARY, other);
  const std::string manifest = (home_.path() / "requests.jsonl").string();
  std::ofstream lines(manifest);
  for (const int width : {512, 1024, 1536, 2048}) {
    const std::string shape = fmt::format(R"("dtype":"f16","shape":[8,{}]}})", width);
    lines << R"({"rowsmith":1,"op":"softmax","options":0,"operands":[{"role":"x",)" << shape << R"(,{"role":"y",)"
          << shape << "]}\n";
  }
  lines.close();
  const child_answer a = call({"warm", ROWSMITH_LIBRARY, other, manifest, home_.path().string()});
  EXPECT_EQ(a.exit_status, 0) << a.output;
  EXPECT_EQ(a["one_lock"], "true") << a.output;
}

}  // namespace
}  // namespace rowsmith::test
