// On a real NVIDIA device; skipped without one. Loading, launching, streams, capture, contexts.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/driver.h"
#include "base/shared_object.h"

namespace rowsmith {
namespace {

constexpr const char* k_kernels = R"(
struct args { const float* x; float* y; long long n; };
extern "C" __global__ void twice(const args a) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < a.n; i += (long long)gridDim.x * blockDim.x)
    a.y[i] = 2 * a.x[i];
}
extern "C" __global__ void through_shared(const args a) {
  extern __shared__ float tile[];
  float* far = tile + 24 * 1024;  // 96 KiB in
  far[threadIdx.x] = a.x[threadIdx.x];
  __syncthreads();
  a.y[threadIdx.x] = far[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void cluster_rank(const args a) {
  unsigned rank = 99, blocks = 99;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#endif
  if (threadIdx.x == 0) a.y[blockIdx.x] = rank + 100 * blocks;
}
)";

struct args {
  const void* x;
  void* y;
  long long n;
};

class cuda_device : public ::testing::Test {
 protected:
  void SetUp() override {
    if (backend_->device_count() == 0) GTEST_SKIP() << "no CUDA device";
    target_ = backend_->describe(0).value().traits;
    source s;
    s.name = "device.cu";
    s.text = k_kernels;
    code_ = backend_->compile(s, target_).value().code;
    x_ = backend_->allocate(0, k_bytes).value();
    y_ = backend_->allocate(0, k_bytes).value();
    host_.resize(k_count);
    std::iota(host_.begin(), host_.end(), 0.0f);
    ASSERT_TRUE(backend_->copy(0, x_, host_.data(), k_bytes).ok());
  }
  void TearDown() override {
    EXPECT_TRUE(backend_->release(0, x_).ok());
    EXPECT_TRUE(backend_->release(0, y_).ok());
  }

  std::unique_ptr<loaded_kernel> load(const char* entry, int threads, int shared = 0, int cluster = 1) {
    launch_plan how;
    how.entry = entry;
    how.threads = threads;
    how.dynamic_shared = shared;
    how.cluster = cluster;
    auto kernel = backend_->load(0, code_, how);
    EXPECT_TRUE(kernel) << kernel.status().to_string();
    return kernel ? std::move(*kernel) : nullptr;
  }

  std::vector<float> result() {
    std::vector<float> y(k_count);
    EXPECT_TRUE(backend_->synchronize(0, {}).ok());
    EXPECT_TRUE(backend_->copy(0, y.data(), y_, k_bytes).ok());
    return y;
  }

  // Entry points that only this test needs.
  template <class F>
  F* driver_symbol(const char* name) {
    const std::string path[] = {cuda::driver::get().probe().found};
    F* f = nullptr;
    shared_object::open_first(path, nullptr).bind(f, name);
    return f;
  }

  static constexpr std::size_t k_count = 10000, k_bytes = k_count * sizeof(float);
  std::unique_ptr<backend> backend_ = make_cuda_backend();
  traits target_;
  bytes code_;
  std::vector<float> host_;
  void *x_ = nullptr, *y_ = nullptr;
};

TEST_F(cuda_device, describes_itself) {
  const device_info info = backend_->describe(0).value();
  EXPECT_EQ(info.traits.arch.substr(0, 3), "sm_");
  EXPECT_FALSE(info.card.name.empty());
  EXPECT_GT(info.card.units, 1);
  EXPECT_GT(info.card.l2_bytes, 1 << 18);
  EXPECT_GT(info.card.memory_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(backend_->describe(backend_->device_count()).status().error(), code::not_found);
  // The numbers that follow from the name are the device's own.
  auto& api = cuda::driver::get();
  const auto ask = [&](int attribute) {
    int value = 0;
    EXPECT_EQ(api.call().device_attribute(&value, attribute, *api.device(0)), 0);
    return value;
  };
  EXPECT_EQ(info.traits.wave, ask(10));
  EXPECT_EQ(info.traits.max_threads, ask(1));
  EXPECT_EQ(info.traits.unit_threads, ask(39));
  EXPECT_EQ(info.traits.unit_shared_bytes, ask(81));
  EXPECT_EQ(info.traits.unit_registers, ask(82));
  EXPECT_EQ(info.traits.shared_bytes, ask(97));
}

TEST_F(cuda_device, launches) {
  auto kernel = load("twice", 128);
  const args a{x_, y_, static_cast<long long>(k_count)};
  ASSERT_TRUE(kernel->launch(7, &a, sizeof a, {}).ok());
  const std::vector<float> y = result();
  for (std::size_t i = 0; i < k_count; ++i) ASSERT_EQ(y[i], 2 * host_[i]) << i;
  EXPECT_TRUE(kernel->launch(0, &a, sizeof a, {}).ok());
  EXPECT_EQ(kernel->launch(1, &a, sizeof a - 8, {}).error(), code::internal);
  EXPECT_EQ(kernel->launch(std::int64_t{1} << 31, &a, sizeof a, {}).error(), code::invalid_argument);
}

TEST_F(cuda_device, a_fresh_thread_without_a_context_launches) {
  auto kernel = load("twice", 128);
  const args a{x_, y_, static_cast<long long>(k_count)};
  std::thread([&] {
    cuda::context_handle now = nullptr;
    EXPECT_TRUE(kernel->launch(7, &a, sizeof a, {}).ok());
    EXPECT_EQ(cuda::driver::get().call().context_current(&now), 0);
    EXPECT_EQ(now, nullptr) << "the thread's context is as it was";
  }).join();
  EXPECT_EQ(result()[k_count - 1], 2 * host_[k_count - 1]);
}

TEST_F(cuda_device, grants_large_dynamic_shared_memory) {
  if (target_.shared_bytes < 98 * 1024) GTEST_SKIP() << "too little shared memory";
  auto kernel = load("through_shared", 256, 97 * 1024);
  const args a{x_, y_, 256};
  ASSERT_TRUE(kernel->launch(1, &a, sizeof a, {}).ok());
  const std::vector<float> y = result();
  for (int i = 0; i < 256; ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], 255 - i);
}

TEST_F(cuda_device, more_shared_memory_than_there_is_is_a_typed_error) {
  launch_plan how;
  how.entry = "through_shared";
  how.threads = 256;
  how.dynamic_shared = target_.shared_bytes + 1024;
  auto kernel = backend_->load(0, code_, how);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.status().error(), code::device_error);
  EXPECT_NE(kernel.status().vendor_text().find("CUDA_ERROR"), std::string::npos);
}

TEST_F(cuda_device, launches_whole_clusters) {
  if (target_.largest_cluster < 2) GTEST_SKIP() << "no clusters";
  for (int size : {2, 4, 8, 16}) {
    auto kernel = load("cluster_rank", 32, 0, size);
    ASSERT_NE(kernel, nullptr);
    const args a{x_, y_, 0};
    status launched = kernel->launch(size + 1, &a, sizeof a, {});  // rounded up to two clusters
    ASSERT_TRUE(launched.ok()) << size << " " << launched.to_string();
    const std::vector<float> y = result();
    for (int i = 0; i < 2 * size; ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], i % size + 100 * size) << size;
  }
}

TEST_F(cuda_device, an_unknown_entry_is_refused) {
  launch_plan how;
  how.entry = "nobody";
  EXPECT_EQ(backend_->load(0, code_, how).status().error(), code::not_found);
  EXPECT_EQ(backend_->load(99, code_, how).status().error(), code::not_found);
}

TEST_F(cuda_device, capture_is_seen_and_survives) {
  using cuda::stream_handle;
  auto* create = driver_symbol<int(stream_handle*, unsigned)>("cuStreamCreate");
  auto* begin = driver_symbol<int(stream_handle, int)>("cuStreamBeginCapture_v2");
  auto* end = driver_symbol<int(stream_handle, void**)>("cuStreamEndCapture");
  ASSERT_TRUE(create && begin && end);
  auto kernel = load("twice", 128);
  auto& api = cuda::driver::get();
  const cuda::current_context scope(api.call(), *api.primary(0));
  stream_handle s = nullptr;
  ASSERT_EQ(create(&s, 1), 0);
  EXPECT_FALSE(backend_->capturing(0, {s}).value());
  EXPECT_FALSE(backend_->capturing(0, {}).value());
  ASSERT_EQ(begin(s, 0), 0);
  EXPECT_TRUE(backend_->capturing(0, {s}).value());
  const args a{x_, y_, static_cast<long long>(k_count)};
  EXPECT_TRUE(kernel->launch(7, &a, sizeof a, {s}).ok());
  EXPECT_TRUE(backend_->capturing(0, {s}).value());
  void* graph = nullptr;
  EXPECT_EQ(end(s, &graph), 0);
  EXPECT_NE(graph, nullptr);
  EXPECT_FALSE(backend_->capturing(0, {s}).value());
}

TEST_F(cuda_device, a_stream_of_another_context_of_this_device_is_served) {
  using cuda::stream_handle;
  auto* create = driver_symbol<int(stream_handle*, unsigned)>("cuStreamCreate");
  auto* make = driver_symbol<int(cuda::context_handle*, unsigned, int)>("cuCtxCreate_v2");
  auto* destroy = driver_symbol<int(cuda::context_handle)>("cuCtxDestroy_v2");
  if (!create || !make || !destroy) GTEST_SKIP() << "this driver has no such entry point";
  auto kernel = load("twice", 128);
  auto& api = cuda::driver::get();
  cuda::context_handle other = nullptr;
  ASSERT_EQ(make(&other, 0, *api.device(0)), 0);  // and current
  stream_handle s = nullptr;
  ASSERT_EQ(create(&s, 1), 0);
  EXPECT_FALSE(backend_->capturing(0, {s}).value());
  const args a{x_, y_, static_cast<long long>(k_count)};
  status launched = kernel->launch(7, &a, sizeof a, {s});
  EXPECT_TRUE(launched.ok()) << launched.to_string();
  EXPECT_EQ(api.call().stream_synchronize(s), 0);
  EXPECT_EQ(result()[k_count - 1], 2 * host_[k_count - 1]);
  destroy(other);
}

TEST_F(cuda_device, a_stream_of_another_device_is_refused) {
  if (backend_->device_count() < 2) GTEST_SKIP() << "needs two devices";
  using cuda::stream_handle;
  auto* create = driver_symbol<int(stream_handle*, unsigned)>("cuStreamCreate");
  auto kernel = load("twice", 128);
  auto& api = cuda::driver::get();
  stream_handle s = nullptr;
  {
    const cuda::current_context scope(api.call(), *api.primary(1));
    ASSERT_EQ(create(&s, 1), 0);
  }
  EXPECT_EQ(backend_->capturing(0, {s}).status().error(), code::invalid_argument);
  const args a{x_, y_, static_cast<long long>(k_count)};
  EXPECT_EQ(kernel->launch(7, &a, sizeof a, {s}).error(), code::invalid_argument);
  EXPECT_TRUE(kernel->launch(7, &a, sizeof a, {}).ok()) << "and nothing is spoiled";
}

// Last by name in this file, since it destroys what others hold.
TEST_F(cuda_device, z_after_a_reset_a_reload_works) {
  auto* reset = driver_symbol<int(int)>("cuDevicePrimaryCtxReset_v2");
  if (!reset) GTEST_SKIP() << "this driver has no such entry point";
  auto kernel = load("twice", 128);
  const args before{x_, y_, static_cast<long long>(k_count)};
  ASSERT_TRUE(kernel->launch(7, &before, sizeof before, {}).ok());
  ASSERT_EQ(reset(*cuda::driver::get().device(0)), 0);
  const status stale = kernel->launch(7, &before, sizeof before, {});
  EXPECT_TRUE(stale.ok() || stale.error() == code::device_error) << stale.to_string();
  auto again = load("twice", 128);
  ASSERT_NE(again, nullptr);
  x_ = backend_->allocate(0, k_bytes).value();
  y_ = backend_->allocate(0, k_bytes).value();
  ASSERT_TRUE(backend_->copy(0, x_, host_.data(), k_bytes).ok());
  const args after{x_, y_, static_cast<long long>(k_count)};
  ASSERT_TRUE(again->launch(7, &after, sizeof after, {}).ok());
  EXPECT_EQ(result()[k_count - 1], 2 * host_[k_count - 1]);
}

}  // namespace
}  // namespace rowsmith
