// Which library, which build, and what is said when there is none.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "backend/cuda/cubin.h"
#include "backend/cuda/nvrtc.h"
#include "backend/cuda/target.h"
#include "backend/library_identity.h"
#include "backend/library_search.h"
#include "base/shared_object.h"

namespace rowsmith {
namespace {

TEST(cuda_target, names) {
  EXPECT_EQ(cuda::parse_target("sm_90")->number, 90);
  EXPECT_EQ(cuda::parse_target("sm_100f")->feature, 'f');
  EXPECT_EQ(cuda::parse_target("sm_90a")->feature, 'a');
  for (const char* bad :
       {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "sm_9000", "sm_-90", "sm_ 90", "compute_", "gfx906"}) {
    EXPECT_FALSE(cuda::parse_target(bad)) << bad;
    EXPECT_EQ(cuda::traits_of(bad).status().error(), code::invalid_argument) << bad;
  }
}

TEST(cuda_target, traits_follow_from_the_number) {
  struct row {
    const char* name;
    int shared_kib, unit_shared_kib, threads;
    bool hopper;
  };
  for (const row& r :
       {row{"sm_75", 64, 64, 1024, false}, row{"sm_80", 163, 164, 2048, false}, row{"sm_86", 99, 100, 1536, false},
        row{"sm_89", 99, 100, 1536, false}, row{"sm_90", 227, 228, 2048, true}, row{"sm_90a", 227, 228, 2048, true},
        row{"sm_100", 227, 228, 2048, true}, row{"sm_120", 99, 100, 1536, true}, row{"sm_170", 99, 100, 1536, true}}) {
    const traits t = cuda::traits_of(r.name).value();
    EXPECT_EQ(t.arch, r.name);
    EXPECT_EQ(t.wave, 32);
    EXPECT_EQ(t.max_threads, 1024);
    EXPECT_EQ(t.shared_bytes, r.shared_kib * 1024) << r.name;
    EXPECT_EQ(t.unit_shared_bytes, r.unit_shared_kib * 1024) << r.name;
    EXPECT_EQ(t.unit_threads, r.threads) << r.name;
    EXPECT_EQ(t.bulk_copy, r.hopper) << r.name;
    EXPECT_EQ(t.largest_cluster > 1, r.hopper) << r.name;
  }
}

TEST(cuda_library, a_missing_compiler_names_every_path) {
  cuda::nvrtc compiler({"/nowhere/libnvrtc.so.13", "/nowhere/else/libnvrtc.so.12", "libnvrtc-none.so.9"});
  source s;
  for (const status& error :
       {compiler.identity().status(), compiler.compile(s, "sm_90", [] { return false; }).status()}) {
    EXPECT_EQ(error.error(), code::not_found);
    EXPECT_NE(error.message().find("ROWSMITH_CUDA_LIBS"), std::string::npos);
    for (const char* path : {"/nowhere/libnvrtc.so.13: ", "/nowhere/else/libnvrtc.so.12: ", "libnvrtc-none.so.9: "}) {
      EXPECT_NE(error.detail().find(path), std::string::npos) << error.detail();
    }
  }
  EXPECT_EQ(compiler.probe().found, "");
  EXPECT_EQ(compiler.probe().tried.size(), 3u);
}

TEST(cuda_library, a_library_without_the_entry_points_is_passed_over) {
  cuda::nvrtc compiler({"libm.so.6"});
  const status error = compiler.identity().status();
  EXPECT_EQ(error.error(), code::not_found);
  EXPECT_NE(error.detail().find("lacks nvrtcVersion, nvrtcGetErrorString"), std::string::npos) << error.detail();
}

TEST(cuda_library, the_identity_is_the_same_loaded_or_not) {
  cuda::nvrtc idle(cuda::nvrtc::usual_candidates(), &cuda::nvrtc::searched_candidates),
      loaded(cuda::nvrtc::usual_candidates(), &cuda::nvrtc::searched_candidates);
  if (loaded.probe().found.empty()) GTEST_SKIP() << "no NVRTC";
  const compiler_id a = idle.identity().value(), b = loaded.identity().value();
  EXPECT_EQ(a.name, "nvrtc");
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.build, b.build);
  EXPECT_EQ(a.build.size(), 16u);
}

// What has to be searched for costs a process a part of its first call.
TEST(cuda_library, nothing_is_searched_for_where_a_usual_place_has_it) {
  cuda::nvrtc found(cuda::nvrtc::usual_candidates(), &cuda::nvrtc::searched_candidates);
  const std::string there = found.probe().found;
  if (there.empty() || there[0] != '/') GTEST_SKIP() << "no NVRTC that a path leads to";
  int searched = 0;
  const auto search = [&] { return ++searched, std::vector<std::string>{there}; };
  cuda::nvrtc at_once({"/nowhere/libnvrtc.so.13", there}, search), late({"/nowhere/libnvrtc.so.13"}, search);
  const compiler_id a = at_once.identity().value();
  EXPECT_EQ(searched, 0);
  EXPECT_EQ(late.identity().value().build, a.build);
  EXPECT_EQ(late.probe().found, there);
  EXPECT_EQ(searched, 1);
}

TEST(cuda_library, ptx_is_a_labelled_second_choice) {
  cuda::nvrtc compiler(cuda::nvrtc::usual_candidates(), &cuda::nvrtc::searched_candidates);
  if (compiler.probe().found.empty()) GTEST_SKIP() << "no NVRTC";
  source s;
  s.name = "future.cu";
  s.text = "extern \"C\" __global__ void k(int* y) { *y = 1; }";
  auto b = compiler.compile(s, "sm_999", [] { return true; });
  ASSERT_TRUE(b) << b.status().to_string();
  EXPECT_EQ(b->log.substr(0, 16), "PTX for compute_");
  EXPECT_TRUE(cuda::is_ptx(b->code));
  EXPECT_TRUE(cuda::check_code(b->code, "sm_999", "k").ok());
  EXPECT_EQ(cuda::check_code(b->code, "sm_999", "k2").error(), code::not_found);
  EXPECT_EQ(cuda::check_code(b->code, "sm_70", "k").error(), code::corrupt) << "older than its target";
  EXPECT_EQ(cuda::report_code(b->code, "sm_999", "k")->registers, -1);
  EXPECT_FALSE(cuda::is_ptx({}));
}

TEST(library_search, places_and_names) {
  const std::string names[] = {"liba.so.2", "liba.so.1"};
  const std::string places[] = {"/x", "/y/", "", "/z/liba.so.9", "/z/libb.so.9", "/nowhere/*/lib"};
  const std::vector<std::string> expected = {"/x/liba.so.2", "/x/liba.so.1", "/y/liba.so.2", "/y/liba.so.1",
                                             "/z/liba.so.9"};
  EXPECT_EQ(candidates(places, names), expected);
}

TEST(library_search, mapped_libraries_are_seen) {
  const std::string stems[] = {"libc.so"};
  EXPECT_EQ(mapped_libraries(stems).size(), 1u);
}

TEST(library_identity, depends_on_contents_alone) {
  const std::string folder = ::testing::TempDir();
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(folder + name) << text;
    return folder + name;
  };
  const std::string a[] = {write("identity_a", "same")}, b[] = {write("identity_b", "same")},
                    c[] = {write("identity_c", "diff")}, none[] = {folder + "identity_none"};
  EXPECT_EQ(library_identity(a), library_identity(b));
  EXPECT_NE(library_identity(a), library_identity(c));
  EXPECT_EQ(library_identity(none), "");
}

TEST(shared_object, tells_why_each_was_passed_over) {
  const std::string list[] = {"/nowhere/liba.so", "libnone.so.77", "libm.so.6"};
  std::vector<std::string> tried;
  const shared_object found = shared_object::open_first(list, &tried);
  ASSERT_TRUE(found);
  EXPECT_NE(found.path().find("/libm.so.6"), std::string::npos) << found.path();
  ASSERT_EQ(tried.size(), 2u);
  EXPECT_EQ(tried[0], "/nowhere/liba.so: cannot open shared object file: No such file or directory");
  EXPECT_NE(found.symbol("cos"), nullptr);
  EXPECT_EQ(found.symbol("there_is_no_such_symbol"), nullptr);
  EXPECT_EQ(shared_object().symbol("cos"), nullptr);
}

}  // namespace
}  // namespace rowsmith
