// The fallback that is compiled into the library: no compiler, any width, dtype and stride.
#include <cmath>
#include <random>

#include "support.h"

namespace rowsmith::host_test {
namespace {

// row_args<6, 7, 8>: the operands are x, mask, bias, causal, y, lse.
struct scalar_arguments {
  struct operand {
    const void* data = nullptr;
    std::int64_t type = 0;
    std::int64_t stride[15] = {};  // rows at [6], elements at [14]
  };
  std::int64_t items = 0, rows = 0, width = 0, blocks = 1;
  std::uint64_t options = 0;
  void* workspace = nullptr;
  float param[8] = {};
  std::int64_t extent[15] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  operand op[6];
};

std::unique_ptr<loaded_kernel> load_scalar() {
  launch_plan how;
  how.how = mechanism::scalar;
  how.entry = "rs_softmax_scalar";
  how.rows_per_block = 2;
  return std::move(host::make_backend({{"rowsmith-no-cxx"}})->load(0, {}, how).value());
}

TEST(host_scalar, needs_no_compiler_and_keeps_the_contract) {
  const auto k = load_scalar();
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 4);
  const int rows = 5;
  for (const dtype tx : {dtype::f32, dtype::f16, dtype::bf16}) {
    for (const dtype ty : {dtype::f32, dtype::f16, dtype::bf16}) {
      for (const int width : {1, 2, 17, 100, 4096, 100003}) {
        for (const int step : {1, 3}) {
          for (const bool accurate : {false, true}) {
            const std::size_t n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
            const guarded x((n * static_cast<std::size_t>(step) - static_cast<std::size_t>(step) + 1) * size_of(tx),
                            guarded::place::at_end);
            const guarded y(n * size_of(ty), guarded::place::at_end);
            std::vector<std::vector<double>> inputs(rows);
            for (int r = 0; r < rows; ++r) {
              for (int i = 0; i < width; ++i) {
                double v = normal(random);
                if (r == 1 && i == width / 2) v = NAN;
                if (r == 2 && i == 0) v = INFINITY;
                if (r == 3) v = -INFINITY;
                put(x.data(), tx, (std::int64_t{r} * width + i) * step, v);
                inputs[static_cast<std::size_t>(r)].push_back(get(x.data(), tx, (std::int64_t{r} * width + i) * step));
              }
            }
            scalar_arguments a;
            a.items = a.rows = rows;
            a.width = a.extent[14] = width;
            a.options = accurate ? 1 : 0;
            a.extent[6] = rows;
            a.op[0] = {x.data(), static_cast<std::int64_t>(tx)};
            a.op[0].stride[6] = std::int64_t{width} * step, a.op[0].stride[14] = step;
            a.op[4] = {y.data(), static_cast<std::int64_t>(ty)};
            a.op[4].stride[6] = width, a.op[4].stride[14] = 1;
            ASSERT_TRUE(k->launch(3, &a, sizeof a, {}).ok());
            for (int r = 0; r < rows; ++r) {
              std::vector<double> got;
              for (int i = 0; i < width; ++i) got.push_back(get(y.data(), ty, std::int64_t{r} * width + i));
              ASSERT_TRUE(within(softmax_reference(inputs[static_cast<std::size_t>(r)], ty, accurate), got))
                  << "row " << r << " " << name_of(tx) << " to " << name_of(ty) << " width " << width;
            }
          }
        }
      }
    }
  }
}

TEST(host_scalar, unknown_entries_are_not_found) {
  const auto b = make_host_backend();
  launch_plan how;
  how.how = mechanism::scalar;
  how.entry = "rs_nothing_scalar";
  EXPECT_EQ(b->load(0, {}, how).status().error(), code::not_found);
  how.how = mechanism::simd;
  how.entry = "rs_softmax_scalar";
  EXPECT_EQ(b->load(0, {}, how).status().error(), code::corrupt);
}

}  // namespace
}  // namespace rowsmith::host_test
