// Kernels that are wrong on purpose: what a card would let pass is found, and named.
#include <gmock/gmock.h>

#include "gcn/suite/launcher.h"

namespace rowsmith::test {
namespace {

using testing::HasSubstr;

const std::string head = R"(
#define TID __builtin_amdgcn_workitem_id_x()
#define BLOCK __builtin_amdgcn_workgroup_id_x()
#define SHARED __attribute__((shared))
static __attribute__((device)) void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 256))) void k(float* y) {
)";

class detection : public testing::Test {
 protected:
  static constexpr std::size_t floats = 256;

  void TearDown() override { hip.recover(); }

  // Runs the body in one block over `floats` floats that begin with 0, 1, 2, …; gives what came of it.
  status run(const std::string& body, int threads = 256) {
    auto kernel = launcher::build(head + body + "\n}\n", threads);
    if (!kernel) return kernel.status();
    std::vector<float> x(floats);
    for (std::size_t i = 0; i < floats; ++i) x[i] = static_cast<float>(i);
    memory.write(x.data());
    const void* argument = memory.data();
    const status launched = (*kernel)->launch(1, &argument, sizeof argument, {});
    return launched.ok() ? backend_for(device_kind::hip)->synchronize(0, {}) : launched;
  }

  // The kernel must be refused with a report that names it and says so.
  void expect_found(const std::string& body, const char* why, int threads = 256) {
    const status s = run(body, threads);
    EXPECT_EQ(s.error(), code::device_error) << s.to_string() << s.detail();
    EXPECT_THAT(hip.report(), HasSubstr(why));
    EXPECT_THAT(hip.report(), HasSubstr("k")) << "the kernel's name";
  }

  simulated_hip& hip = simulated_hip::get();
  card_memory memory{floats * sizeof(float)};
};

TEST_F(detection, a_right_kernel_passes) {
  const status s = run("y[TID] = y[TID] * 2;");
  EXPECT_TRUE(s.ok()) << s.to_string() << s.detail();
  std::vector<float> got(floats);
  memory.read(got.data());
  EXPECT_EQ(got[17], 34);
  EXPECT_STREQ(hip.report(), "");
}

TEST_F(detection, a_store_one_past_the_end) { expect_found("y[TID + 1] = 1;", "global_store"); }
TEST_F(detection, a_load_one_before_the_begin) { expect_found("y[TID] = y[(int)TID - 1];", "global_load"); }
TEST_F(detection, a_store_far_away) { expect_found("y[TID + (1ull << 33)] = 1;", "store"); }

TEST_F(detection, memory_that_was_given_back) {
  auto kernel = launcher::build(head + "y[TID] = 1;\n}\n", 64);
  ASSERT_TRUE(kernel) << kernel.status().detail();
  card_memory gone(1024);
  const void* argument = gone.data();
  gone.release();
  ASSERT_TRUE((*kernel)->launch(1, &argument, sizeof argument, {}).ok());
  EXPECT_EQ(backend_for(device_kind::hip)->synchronize(0, {}).error(), code::device_error);
  EXPECT_THAT(hip.report(), HasSubstr("global_store"));
}

TEST_F(detection, shared_memory_that_nobody_wrote) {
  expect_found("static SHARED float t[256]; if (TID < 255) t[TID] = 1; barrier(); y[TID] = t[TID];", "");
}

TEST_F(detection, a_register_that_nobody_wrote) {
  expect_found("float v; asm volatile(\"v_add_f32 %0, v200, v200\" : \"=v\"(v)); y[TID] = v;", "");
}

TEST_F(detection, a_missing_barrier) {
  expect_found("static SHARED float t[256]; t[TID] = y[TID]; y[TID] = t[255 - TID];", "");
}

TEST_F(detection, shared_memory_reused_too_early) {
  expect_found(
      "static SHARED float t[256]; t[TID] = y[TID]; barrier(); float a = t[255 - TID]; t[TID] = a; barrier(); "
      "y[TID] = t[TID];",
      "");
}

TEST_F(detection, a_load_that_was_not_waited_for) {
  expect_found(
      "float v; asm volatile(\"global_load_dword %0, %1, off\\n v_add_f32 %0, %0, %0\\n s_waitcnt vmcnt(0)\" "
      ": \"=&v\"(v) : \"v\"(y + TID) : \"memory\"); y[TID] = v;",
      "v_add_f32");
}

TEST_F(detection, a_code_object_of_another_architecture) {
  backend& b = *backend_for(device_kind::hip);
  source s;
  s.name = "other.hip";
  s.entry = "k";
  s.text = head + "}\n";
  const auto made = b.compile(s, b.traits_of("gfx900").value());
  ASSERT_TRUE(made) << made.status().detail();
  launch_plan how;
  how.entry = "k";
  how.threads = 64;
  const auto loaded = b.load(0, made->code, how);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.status().error(), code::device_error);
  EXPECT_EQ(loaded.status().vendor_code(), 209);
  EXPECT_THAT(loaded.status().vendor_text(), HasSubstr("hipErrorNoBinaryForGpu"));
}

TEST_F(detection, a_launch_that_no_card_takes) {
  auto kernel = launcher::build(head + "y[TID] = 1;\n}\n", 512);  // the kernel was made for 256
  ASSERT_TRUE(kernel);
  const void* argument = memory.data();
  EXPECT_EQ((*kernel)->launch(1, &argument, sizeof argument, {}).error(), code::device_error);
  EXPECT_EQ((*kernel)->launch(std::int64_t{1} << 31, &argument, sizeof argument, {}).error(), code::invalid_argument);
  EXPECT_EQ((*kernel)->launch(1, &argument, 4096, {}).error(), code::internal);
}

}  // namespace
}  // namespace rowsmith::test
