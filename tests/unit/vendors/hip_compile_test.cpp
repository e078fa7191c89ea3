// The real hipRTC without a GPU: what it compiles, and what check() and report() read from it.
#include <gtest/gtest.h>

#include <string>

#include "backend/backend.h"
#include "backend/hip/code_object.h"
#include "backend/hip/gcn.h"
#include "backend/hip/target.h"

namespace rowsmith {
namespace {

// No header: what a HIP program calls __global__ and __shared__ is spelled out.
constexpr const char* k_kernels = R"(
#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void
#define SHARED __attribute__((shared))
#define TID __builtin_amdgcn_workitem_id_x()
typedef float four __attribute__((ext_vector_type(4)));

static __attribute__((device)) void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL copy_wide(const four* __restrict__ x, four* __restrict__ y) { y[TID] = x[TID]; }

KERNEL copy_scalar(const float* __restrict__ x, float* __restrict__ y) {
  y[TID] = x[TID];
  y[TID + 4096] = x[TID + 8192];
}

// Indexed by a run-time value: the array can only live in scratch.
KERNEL local_array(const int* at, float* y) {
  float a[400];
  for (int i = 0; i < 400; ++i) a[i] = y[i * 32];
  for (int i = 0; i < 400; ++i) a[at[i + TID]] += 1;
  for (int i = 0; i < 400; ++i) y[i] = a[at[i + 40 + TID]];
}

KERNEL three_barriers(float* y) {
  static SHARED float tile[1000];
  tile[TID] = y[TID];
  barrier();
  float a = tile[511 - TID];
  barrier();
  tile[TID] = a * 2;
  barrier();
  y[TID] = tile[(TID * 7) & 511];
}

KERNEL lanes(int* y) { y[TID] += __builtin_amdgcn_mov_dpp(y[TID], 0xB1, 0xf, 0xf, true); }
)";

class hip_compile : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (auto id = backend_->compiler(target()); !id) GTEST_SKIP() << id.status().to_string() << id.status().detail();
  }

  traits target() const { return backend_->traits_of(GetParam()).value(); }

  binary compile() {
    source s;
    s.name = "known.hip";
    s.text = k_kernels;
    auto b = backend_->compile(s, target());
    EXPECT_TRUE(b) << b.status().to_string() << b.status().detail();
    return b ? *b : binary{};
  }

  code_report report(const binary& b, const char* entry) {
    auto r = backend_->report(b.code, target(), entry);
    EXPECT_TRUE(r) << r.status().to_string();
    return r ? *r : code_report{};
  }

  std::unique_ptr<backend> backend_ = make_hip_backend();
};

TEST_P(hip_compile, check_takes_what_was_compiled) {
  const binary b = compile();
  EXPECT_GT(b.compile_ms, 0);
  for (const char* entry : {"copy_wide", "copy_scalar", "local_array", "three_barriers", "lanes"}) {
    EXPECT_TRUE(backend_->check(b.code, target(), entry).ok());
  }
  EXPECT_EQ(backend_->check(b.code, target(), "copy_wid").error(), code::not_found);
  EXPECT_EQ(backend_->check(b.code, target(), "").error(), code::not_found);
  const char* other = std::string(GetParam()) == "gfx906" ? "gfx900" : "gfx906";
  EXPECT_EQ(backend_->check(b.code, backend_->traits_of(other).value(), "copy_wide").error(), code::corrupt);
}

TEST_P(hip_compile, report_tells_wide_from_narrow) {
  const binary b = compile();
  const code_report wide = report(b, "copy_wide");
  EXPECT_EQ(wide.wide_loads, 1);
  EXPECT_EQ(wide.wide_stores, 1);
  EXPECT_EQ(wide.narrow_loads, 0);
  EXPECT_EQ(wide.narrow_stores, 0);
  EXPECT_EQ(wide.local_bytes, 0);
  EXPECT_EQ(wide.spills, 0);
  EXPECT_EQ(wide.barriers, 0);
  EXPECT_EQ(wide.shared_bytes, 0);
  EXPECT_GT(wide.registers, 4);
  EXPECT_LE(wide.registers, 24);
  EXPECT_GT(wide.instructions, 5);
  EXPECT_LT(wide.instructions, 20);
  const code_report scalar = report(b, "copy_scalar");
  EXPECT_EQ(scalar.wide_loads, 0);
  EXPECT_EQ(scalar.wide_stores, 0);
  EXPECT_EQ(scalar.narrow_loads, 2);
  EXPECT_EQ(scalar.narrow_stores, 2);
}

TEST_P(hip_compile, report_finds_local_memory) {
  const code_report r = report(compile(), "local_array");
  EXPECT_GE(r.local_bytes, 1600);
  EXPECT_EQ(r.spills, 0) << "an array is no spilled register";
}

TEST_P(hip_compile, report_counts_barriers_and_shared_memory) {
  const code_report r = report(compile(), "three_barriers");
  EXPECT_EQ(r.barriers, 3);
  EXPECT_EQ(r.shared_bytes, 4000);
}

TEST_P(hip_compile, lane_moves_are_seen) {
  const binary b = compile();
  auto kernel = hip::read_code_object(b.code, "lanes");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->arch, GetParam());
  auto census = hip::count_gcn(kernel->text, std::string("amdgcn-amd-amdhsa--") + GetParam());
  ASSERT_TRUE(census);
  EXPECT_EQ(census->lane_moves, 1);
  EXPECT_EQ(census->scratch_accesses, 0);
}

// Cut anywhere, the file is refused, and nothing outside it is read (run under the address sanitizer).
TEST_P(hip_compile, every_truncation_is_refused) {
  const binary b = compile();
  for (std::size_t n = 0; n < b.code.size(); ++n) {
    const bytes cut(b.code.begin(), b.code.begin() + static_cast<std::ptrdiff_t>(n));
    ASSERT_FALSE(backend_->check(cut, target(), "copy_wide").ok()) << n << " of " << b.code.size();
    ASSERT_FALSE(backend_->report(cut, target(), "copy_wide")) << n;
  }
}

TEST_P(hip_compile, damage_never_crashes) {
  const binary b = compile();
  for (std::size_t at = 0; at < b.code.size(); ++at) {
    bytes damaged = b.code;
    damaged[at] ^= std::byte{0xff};
    (void)backend_->check(damaged, target(), "three_barriers");
  }
}

INSTANTIATE_TEST_SUITE_P(targets, hip_compile, ::testing::Values("gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"));

class hip_errors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto id = backend_->compiler(*backend_->traits_of("gfx906")); !id) GTEST_SKIP() << id.status().to_string();
  }
  std::unique_ptr<backend> backend_ = make_hip_backend();
};

TEST_F(hip_errors, compile_error_carries_log_and_source) {
  source s;
  s.name = "broken.hip";
  s.text = "extern \"C\" __attribute__((global)) void k() { there_is_no_such_name(); }";
  auto b = backend_->compile(s, *backend_->traits_of("gfx906"));
  ASSERT_FALSE(b);
  EXPECT_EQ(b.status().error(), code::compile_failed);
  EXPECT_NE(b.status().detail().find("there_is_no_such_name"), std::string::npos);
  EXPECT_NE(b.status().detail().find(s.text), std::string::npos);
  EXPECT_NE(b.status().message().find("broken.hip for gfx906"), std::string::npos) << b.status().message();
  // It does not spoil what follows.
  s.text = "extern \"C\" __attribute__((global)) void k() {}";
  EXPECT_TRUE(backend_->compile(s, *backend_->traits_of("gfx906")));
}

// hipRTC 5.2 would abort the process.
TEST_F(hip_errors, unknown_architectures_never_reach_the_compiler) {
  source s;
  s.name = "any.hip";
  s.text = "extern \"C\" __attribute__((global)) void k() {}";
  for (const char* arch : {"gfx999", "gfx99f"}) {
    auto b = backend_->compile(s, *backend_->traits_of(arch));
    ASSERT_FALSE(b) << arch;
    EXPECT_EQ(b.status().error(), code::unsupported);
    EXPECT_NE(b.status().message().find("gfx906"), std::string::npos) << b.status().message();
  }
  // This one is refused by the compilers that are older than it.
  auto b = backend_->compile(s, *backend_->traits_of("gfx942"));
  EXPECT_TRUE(b || b.status().error() == code::unsupported);
}

TEST_F(hip_errors, options_reach_the_compiler) {
  source s;
  s.name = "option.hip";
  s.text = "extern \"C\" __attribute__((global)) void k(int* y) { *y = ANSWER; }";
  s.options = {"-DANSWER=42"};
  EXPECT_TRUE(backend_->compile(s, *backend_->traits_of("gfx906")));
}

TEST_F(hip_errors, a_target_with_features_is_the_same_target) {
  source s;
  s.name = "plain.hip";
  s.text = "extern \"C\" __attribute__((global)) void k() {}";
  const traits target = *backend_->traits_of("gfx906:sramecc+:xnack-");
  EXPECT_EQ(target.arch, "gfx906");
  auto b = backend_->compile(s, target);
  ASSERT_TRUE(b) << b.status().detail();
  EXPECT_TRUE(backend_->check(b->code, target, "k").ok());
}

}  // namespace
}  // namespace rowsmith
