// The real NVRTC without a GPU: what it compiles, and what check() and report() read from it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/backend.h"

namespace rowsmith {
namespace {

constexpr const char* k_kernels = R"(
struct alignas(16) four { float a, b, c, d; };

extern "C" __global__ void copy_wide(const four* x, four* y) { y[threadIdx.x] = x[threadIdx.x]; }

extern "C" __global__ void copy_scalar(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x + 4096] = x[threadIdx.x + 8192];
}

// Indexed by a run-time value: the array can only live in local memory.
extern "C" __global__ void local_array(const int* at, float* y) {
  float a[40];
  for (int i = 0; i < 40; ++i) a[i] = y[i * 32];
  for (int i = 0; i < 40; ++i) a[at[i]] += 1;
  for (int i = 0; i < 40; ++i) y[i] = a[at[i + 40]];
}

extern "C" __global__ void three_barriers(float* y) {
  __shared__ float tile[1000];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  float a = tile[255 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = a * 2;
  __syncthreads();
  y[threadIdx.x] = tile[(threadIdx.x * 7) & 255];
}
)";

class cuda_compile : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (auto id = backend_->compiler(target()); !id) GTEST_SKIP() << id.status().to_string() << id.status().detail();
  }

  traits target() const { return backend_->traits_of(GetParam()).value(); }

  binary compile() {
    source s;
    s.name = "known.cu";
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

  std::unique_ptr<backend> backend_ = make_cuda_backend();
};

TEST_P(cuda_compile, check_takes_what_was_compiled) {
  const binary b = compile();
  EXPECT_GT(b.compile_ms, 0);
  for (const char* entry : {"copy_wide", "copy_scalar", "local_array", "three_barriers"}) {
    EXPECT_TRUE(backend_->check(b.code, target(), entry).ok());
  }
  EXPECT_EQ(backend_->check(b.code, target(), "copy_wid").error(), code::not_found);
  EXPECT_EQ(backend_->check(b.code, target(), "").error(), code::not_found);
  const char* other = std::string(GetParam()) == "sm_90" ? "sm_80" : "sm_90";
  EXPECT_EQ(backend_->check(b.code, backend_->traits_of(other).value(), "copy_wide").error(), code::corrupt);
}

TEST_P(cuda_compile, report_tells_wide_from_narrow) {
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
  EXPECT_LE(wide.registers, 32);
  EXPECT_GT(wide.instructions, 5);
  const code_report scalar = report(b, "copy_scalar");
  EXPECT_EQ(scalar.wide_loads, 0);
  EXPECT_EQ(scalar.wide_stores, 0);
  EXPECT_EQ(scalar.narrow_loads, 2);
  EXPECT_EQ(scalar.narrow_stores, 2);
}

TEST_P(cuda_compile, report_finds_local_memory) {
  const code_report r = report(compile(), "local_array");
  EXPECT_EQ(r.local_bytes, 160);
  EXPECT_EQ(r.spills, 1);
}

TEST_P(cuda_compile, report_counts_barriers_and_shared_memory) {
  const code_report r = report(compile(), "three_barriers");
  EXPECT_EQ(r.barriers, 3);
  EXPECT_EQ(r.shared_bytes, 4000);
}

// Cut anywhere, the file is refused, and nothing outside it is read (run under the address sanitizer).
TEST_P(cuda_compile, every_truncation_is_refused) {
  const binary b = compile();
  for (std::size_t n = 0; n < b.code.size(); ++n) {
    const bytes cut(b.code.begin(), b.code.begin() + static_cast<std::ptrdiff_t>(n));
    ASSERT_FALSE(backend_->check(cut, target(), "copy_wide").ok()) << n << " of " << b.code.size();
    ASSERT_FALSE(backend_->report(cut, target(), "copy_wide")) << n;
  }
}

TEST_P(cuda_compile, damage_never_crashes) {
  const binary b = compile();
  for (std::size_t at = 0; at < b.code.size(); ++at) {
    bytes damaged = b.code;
    damaged[at] ^= std::byte{0xff};
    (void)backend_->check(damaged, target(), "three_barriers");
    (void)backend_->report(damaged, target(), "three_barriers");
  }
}

INSTANTIATE_TEST_SUITE_P(targets, cuda_compile, ::testing::Values("sm_75", "sm_80", "sm_90", "sm_100"));

class cuda_errors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto id = backend_->compiler(*backend_->traits_of("sm_90")); !id) GTEST_SKIP() << id.status().to_string();
  }
  std::unique_ptr<backend> backend_ = make_cuda_backend();
};

TEST_F(cuda_errors, compile_error_carries_log_and_source) {
  source s;
  s.name = "broken.cu";
  s.text = "extern \"C\" __global__ void k() { there_is_no_such_name(); }";
  auto b = backend_->compile(s, *backend_->traits_of("sm_90"));
  ASSERT_FALSE(b);
  EXPECT_EQ(b.status().error(), code::compile_failed);
  EXPECT_NE(b.status().detail().find("there_is_no_such_name"), std::string::npos);
  EXPECT_NE(b.status().detail().find("broken.cu"), std::string::npos);
  EXPECT_NE(b.status().detail().find(s.text), std::string::npos);
  EXPECT_EQ(b.status().vendor_code(), 6);
  EXPECT_NE(b.status().vendor_text().find("NVRTC_ERROR_COMPILATION"), std::string::npos);
}

TEST_F(cuda_errors, unknown_architecture_is_refused_by_name) {
  source s;
  s.name = "any.cu";
  s.text = "extern \"C\" __global__ void k() {}";
  auto b = backend_->compile(s, *backend_->traits_of("sm_999"));
  ASSERT_FALSE(b);
  EXPECT_EQ(b.status().error(), code::unsupported);
  EXPECT_NE(b.status().message().find("sm_90"), std::string::npos) << b.status().message();
}

TEST_F(cuda_errors, options_reach_the_compiler) {
  source s;
  s.name = "option.cu";
  s.text = "extern \"C\" __global__ void k(int* y) { *y = ANSWER; }";
  s.options = {"-DANSWER=42", "--no-cache"};
  EXPECT_TRUE(backend_->compile(s, *backend_->traits_of("sm_90")));
  s.options = {"--there-is-no-such-option"};
  auto b = backend_->compile(s, *backend_->traits_of("sm_90"));
  ASSERT_FALSE(b);
  EXPECT_EQ(b.status().error(), code::compile_failed);
}

TEST_F(cuda_errors, bulk_copies_count_as_wide) {
  source s;
  s.name = "bulk.cu";
  s.text = R"(
extern "C" __global__ void load(const char* x, float* y, int n) {
  extern __shared__ __align__(128) char tile[];
  unsigned to = (unsigned)__cvta_generic_to_shared(tile), bar = to + 4096;
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :: "r"(to), "l"(x), "r"(n), "r"(bar) : "memory");
}
extern "C" __global__ void store(char* x, float* y, int n) {
  extern __shared__ __align__(128) char tile[];
  unsigned from = (unsigned)__cvta_generic_to_shared(tile);
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(x), "r"(from), "r"(n) : "memory");
})";
  for (const char* name : {"sm_90", "sm_100", "sm_120"}) {
    const traits target = *backend_->traits_of(name);
    auto b = backend_->compile(s, target);
    if (!b) continue;  // an older compiler
    auto load = backend_->report(b->code, target, "load"), store = backend_->report(b->code, target, "store");
    ASSERT_TRUE(load && store);
    EXPECT_EQ(load->wide_loads, 1) << name;
    EXPECT_EQ(load->wide_stores, 0) << name;
    EXPECT_EQ(store->wide_loads, 0) << name;
    EXPECT_EQ(store->wide_stores, 1) << name;
  }
}

}  // namespace
}  // namespace rowsmith
