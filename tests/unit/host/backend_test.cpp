// The host backend's door: targets, compilers there and not there, binaries good and spoiled, loading, launching.
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "backend/host/compiler.h"
#include "backend/host/elf.h"
#include "backend/host/features.h"
#include "backend/host/host_backend.h"
#include "support.h"
#include "support/private_folder.h"

namespace rowsmith::host_test {
namespace {

TEST(host_target, names_are_canonical) {
  EXPECT_EQ(host::target_traits("x86-64")->arch, "x86-64");
  EXPECT_EQ(host::target_traits("x86-64")->vector_bytes, 16);
  EXPECT_EQ(host::target_traits("x86-64:fma+avx2,f16c")->arch, "x86-64:avx2+f16c+fma");
  EXPECT_EQ(host::target_traits("x86-64:fma+avx2,f16c")->vector_bytes, 32);
  // Half a form is of no use to a kernel: it must not split the cache.
  EXPECT_EQ(host::target_traits("x86-64:avx2")->arch, "x86-64");
  EXPECT_EQ(host::target_traits("x86-64:avx2+f16c+fma+avx512f")->arch, "x86-64:avx2+f16c+fma");
  EXPECT_EQ(host::target_traits("x86-64:avx512vl+avx512bw+avx512f+fma+f16c+avx2")->vector_bytes, 64);
  EXPECT_EQ(host::target_traits("host")->arch, host::native_target());
  EXPECT_EQ(host::target_traits(host::native_target())->arch, host::native_target());
  for (const char* wrong : {"sm_90", "x86-64:sse9", "aarch64:avx2", "native"}) {
    EXPECT_EQ(host::target_traits(wrong).status().error(), code::invalid_argument) << wrong;
  }
}

TEST(host_target, flags_never_say_native) {
  const auto flags = host::feature_flags(*host::target_traits("host"));
  for (const std::string& f : flags) EXPECT_EQ(f.find("native"), std::string::npos);
  EXPECT_TRUE(host::runs_here(*host::target_traits("host")));
}

TEST(host_backend, describes_the_cpu) {
  const auto b = make_host_backend();
  EXPECT_EQ(b->kind(), device_kind::host);
  EXPECT_EQ(b->device_count(), 1);
  const auto d = b->describe(0);
  ASSERT_TRUE(d.ok());
  EXPECT_GE(d->card.units, 1);
  EXPECT_GT(d->card.memory_bytes, 0);
  EXPECT_EQ(d->traits.wave, 1);
  EXPECT_EQ(b->describe(1).status().error(), code::not_found);
}

TEST(host_backend, without_a_compiler) {
  const auto b = host::make_backend({{"rowsmith-no-cxx", "/nowhere/c++ -m64"}});
  const auto target = *b->traits_of("host");
  const auto id = b->compiler(target);
  EXPECT_EQ(id.status().error(), code::not_found);
  for (const char* tried : {"rowsmith-no-cxx", "/nowhere/c++ -m64"}) {
    EXPECT_NE(id.status().message().find(tried), std::string::npos) << id.status().message();
  }
  EXPECT_EQ(b->compile(instantiate("k", ""), target).status().error(), code::not_found);
  const auto probes = b->probe();
  ASSERT_EQ(probes.size(), 1u);
  EXPECT_EQ(probes[0].found, "");
  EXPECT_EQ(probes[0].tried.size(), 2u);
}

class host_compiler : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_->compiler(target_)) GTEST_SKIP() << "no C++ compiler here";
  }
  result<binary> compile(const std::string& entry, const std::string& text) {
    return backend_->compile(instantiate(entry, text), target_);
  }
  std::unique_ptr<backend> backend_ = make_host_backend();
  traits target_ = *backend_->traits_of("host");
};

constexpr const char* counting =
    "RS_KERNEL count(const row_args<2, 7>* a, i64 begin, i64 end) {\n"
    "  for (i64 row = begin; row < end; ++row) static_cast<i64*>(a->op[1].data)[row] += 1 + row;\n}\n";

TEST_F(host_compiler, says_who_it_is) {
  const auto id = backend_->compiler(target_);
  EXPECT_TRUE(id->name == "g++" || id->name == "clang++");
  EXPECT_NE(id->version.find('.'), std::string::npos) << id->version;
  EXPECT_FALSE(id->build.empty());
  EXPECT_EQ(id->build.find('/'), std::string::npos);
}

// A process that finds its kernels on disk runs no compiler, not even to ask who it is.
TEST_F(host_compiler, files_tell_its_build) {
  namespace fs = std::filesystem;
  const auto build_of = [](const std::vector<std::string>& candidates) { return host::build_by_files(candidates); };
  library_probe probe;
  const host::compiler found = host::find_compiler(host::default_candidates(), &probe).value();
  const std::string build = build_of(host::default_candidates());
  if (build.empty()) GTEST_SKIP() << "the compiler here is started by something else";
  EXPECT_EQ(build, found.id.build);
  EXPECT_EQ(make_host_backend()->compiler_build(target_), build);
  EXPECT_EQ(build_of({"rowsmith-no-cxx", found.path}), build) << "what is not there is passed over";
  EXPECT_EQ(build_of({}), "");
  EXPECT_EQ(build_of({"rowsmith-no-cxx"}), "");

  const std::string switched = found.path + " -fno-inline";
  EXPECT_EQ(build_of({switched}), build + " -fno-inline") << "switches make other code";
  EXPECT_EQ(host::find_compiler({switched}, &probe)->id.build, build + " -fno-inline");

  const test::private_folder folder("cxx");
  const fs::path script = folder.path() / "g++", launcher = folder.path() / "launcher";
  std::ofstream(script) << "#!/bin/sh\nexec '" << found.path << "' \"$@\"\n";
  fs::permissions(script, fs::perms::owner_all);
  fs::copy_file("/bin/true", launcher);
  EXPECT_EQ(build_of({script.string()}), "") << "nobody knows what a script starts";
  EXPECT_TRUE(host::find_compiler({script.string()}, &probe).ok());
  EXPECT_EQ(build_of({launcher.string(), found.path}), "") << "nor what a program of another name does";
  EXPECT_EQ(build_of({launcher.string() + " " + found.path}), build) << "behind a launcher the next word compiles";
}

TEST_F(host_compiler, quotes_the_log_of_a_failure) {
  const auto r = compile("broken", "RS_KERNEL broken( {");
  EXPECT_EQ(r.status().error(), code::compile_failed);
  EXPECT_NE(r.status().detail().find("error"), std::string::npos) << r.status().detail();
}

TEST_F(host_compiler, same_bytes_from_the_same_text) {
  const auto a = compile("count", counting), b = compile("count", counting);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->code, b->code);
  EXPECT_GT(a->compile_ms, 0);
}

TEST_F(host_compiler, every_row_once_whatever_the_blocks) {
  const auto made = compile("count", counting);
  ASSERT_TRUE(made.ok()) << made.status().detail();
  for (const std::int64_t rows : {0, 1, 7, 64, 1000}) {
    for (const int each : {1, 16, 4096}) {
      for (const std::int64_t blocks : {(rows + each - 1) / each, std::int64_t{1}, rows + 5}) {
        launch_plan how;
        how.entry = "count";
        how.rows_per_block = each;
        const auto k = backend_->load(0, made->code, how);
        ASSERT_TRUE(k.ok());
        std::vector<std::int64_t> seen(static_cast<std::size_t>(rows) + 1);
        argument_block a;
        a.items = a.rows = rows;
        a.op[1].data = seen.data();
        ASSERT_TRUE((*k)->launch(blocks, &a, sizeof a, {}).ok());
        for (std::int64_t r = 0; r < rows; ++r) ASSERT_EQ(seen[static_cast<std::size_t>(r)], r + 1);
        ASSERT_EQ(seen.back(), 0);
      }
    }
  }
}

// Descriptor numbers come again, the loader knows libraries by path: each load must be a library of its own.
TEST_F(host_compiler, loads_are_distinct) {
  const auto one =
      compile("f", "RS_KERNEL f(const row_args<2, 7>* a, i64, i64) { *static_cast<i64*>(a->op[1].data) = 1; }");
  const auto two =
      compile("f", "RS_KERNEL f(const row_args<2, 7>* a, i64, i64) { *static_cast<i64*>(a->op[1].data) = 2; }");
  ASSERT_TRUE(one.ok() && two.ok());
  launch_plan how;
  how.entry = "f";
  std::vector<std::unique_ptr<loaded_kernel>> all;
  for (int i = 0; i < 40; ++i)
    all.push_back(std::move(backend_->load(0, i % 2 == 0 ? one->code : two->code, how).value()));
  for (int i = 0; i < 40; ++i) {
    std::int64_t answer = 0;
    argument_block a;
    a.rows = 1;
    a.op[1].data = &answer;
    ASSERT_TRUE(launch(*all[static_cast<std::size_t>(i)], a).ok());
    ASSERT_EQ(answer, 1 + i % 2) << i;
  }
}

TEST_F(host_compiler, many_threads) {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto made = compile("count", counting);
      launch_plan how;
      how.entry = "count";
      if (!made) return;
      const auto k = backend_->load(0, made->code, how);
      std::vector<std::int64_t> seen(100);
      argument_block a;
      a.rows = 100;
      a.op[1].data = seen.data();
      good += k.ok() && launch(**k, a).ok() && seen[99] == 100;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(good, 4);
}

// Every header byte changed, every length cut: an answer each time, never a crash; what is not this machine's is
// refused.
TEST_F(host_compiler, spoiled_binaries_are_refused) {
  const auto made = compile("count", counting);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(backend_->check(made->code, target_, "count").ok());
  EXPECT_EQ(backend_->check(made->code, target_, "coun").error(), code::corrupt);
  EXPECT_EQ(backend_->check(made->code, *host::target_traits("aarch64"), "count").error(), code::corrupt);
  for (std::size_t n = 0; n < made->code.size(); n += n < 256 ? 1 : 97) {
    const std::span<const std::byte> cut(made->code.data(), n);
    EXPECT_FALSE(backend_->check(cut, target_, "count").ok()) << n;
  }
  bytes code = made->code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    for (const unsigned value : {0xffu, 0x00u, 0x80u}) {
      const std::byte was = code[i];
      code[i] = std::byte{static_cast<unsigned char>(value)};
      (void)backend_->check(code, target_, "count");
      code[i] = was;
    }
  }
  for (const std::size_t i : {0, 4, 5, 16, 18}) {  // magic, class, order, type, machine
    code = made->code;
    code[i] ^= std::byte{0x55};
    EXPECT_EQ(backend_->check(code, target_, "count").error(), code::corrupt) << i;
    launch_plan how;
    how.entry = "count";
    EXPECT_EQ(backend_->load(0, code, how).status().error(), code::corrupt) << i;
  }
}

TEST_F(host_compiler, reports_what_it_knows) {
  const auto made = compile("count", counting);
  ASSERT_TRUE(made.ok());
  const auto r = backend_->report(made->code, target_, "count");
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->barriers, 0);
  EXPECT_EQ(r->registers, -1);
}

TEST(host_memory, is_aligned_and_copied) {
  const auto b = make_host_backend();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{20} << 20}) {
    void* p = b->allocate(0, size).value();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    std::memset(p, 1, size);
    EXPECT_TRUE(b->release(0, p).ok());
  }
  int from = 42, to = 0;
  EXPECT_TRUE(b->copy(0, &to, &from, sizeof to).ok());
  EXPECT_EQ(to, 42);
  EXPECT_TRUE(b->synchronize(0, {}).ok());
  EXPECT_FALSE(b->capturing(0, {}).value());
  EXPECT_EQ(b->allocate(0, ~std::size_t{0}).status().error(), code::out_of_memory);
}

}  // namespace
}  // namespace rowsmith::host_test
