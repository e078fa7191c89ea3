// The elementwise functions on a real card; skipped without one.
#include "backend/backend.h"
#include "math/gpu_kernels.h"

namespace rowsmith::test {
namespace {

class gpu_math : public testing::Test {
 protected:
  void SetUp() override {
    if (backend_.device_count() == 0) GTEST_SKIP() << "no CUDA device";
    auto made = backend_.compile(math_kernels("cuda"), backend_.describe(0).value().traits);
    ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
    code_ = std::move(made->code);
  }

  math_runner runner() {
    return [this](const math_function& f, const std::vector<float>& x, const std::vector<float>& y) {
      std::vector<float> out(x.size());
      const std::size_t bytes = x.size() * sizeof(float);
      launch_plan how;
      how.entry = f.entry();
      how.threads = math_threads;
      const auto kernel = backend_.load(0, code_, how).value();
      struct {
        void *x, *y, *out;
      } a = {backend_.allocate(0, bytes).value(), backend_.allocate(0, bytes).value(),
             backend_.allocate(0, bytes).value()};
      EXPECT_TRUE(backend_.copy(0, a.x, x.data(), bytes).ok());
      EXPECT_TRUE(backend_.copy(0, a.y, y.data(), bytes).ok());
      const auto blocks = static_cast<std::int64_t>(x.size() / math_threads);
      EXPECT_TRUE(kernel->launch(blocks, &a, sizeof a, {}).ok());
      EXPECT_TRUE(backend_.synchronize(0, {}).ok());
      EXPECT_TRUE(backend_.copy(0, out.data(), a.out, bytes).ok());
      for (void* p : {a.x, a.y, a.out}) EXPECT_TRUE(backend_.release(0, p).ok());
      return out;
    };
  }

  void vectors(std::initializer_list<std::string_view> ids) { expect_vectors_right(runner(), std::vector(ids)); }

  backend& backend_ = *backend_for(device_kind::cuda);
  bytes code_;
};

TEST_F(gpu_math, every_function) { expect_every_function_right(runner()); }
TEST_F(gpu_math, J11_J13_gelu_keeps_its_tail_and_its_sign) { vectors({"J11", "J13"}); }
TEST_F(gpu_math, J14_J16_A25_subnormal_results) { vectors({"J14", "J16", "A25", "exp"}); }
TEST_F(gpu_math, J17_infinities) { vectors({"J17"}); }
TEST_F(gpu_math, E2_E5_rounding_to_storage) { vectors({"E2", "E5"}); }

}  // namespace
}  // namespace rowsmith::test
