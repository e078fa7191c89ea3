// Row ops with expressions before and behind them through the real compilers: no byte of local memory.
#include <gtest/gtest.h>

#include "compile/promises.h"
#include "rowsmith/call.h"

namespace rowsmith {
namespace {

class fusion_compiles : public testing::TestWithParam<test::target_name> {};

TEST_P(fusion_compiles, around_a_softmax_of_every_mechanism) {
  const device where{GetParam().vendor, 0};
  const auto pre = expression::make(arg(0) * param(0) + arg(1)), post = expression::make(silu(arg(0)) + arg(1));
  ASSERT_TRUE(pre.ok() && post.ok());
  for (const std::int64_t width : {49, 128, 1000, 4096, 50257}) {
    SCOPED_TRACE(width);
    const tensor_view x = dense(nullptr, dtype::f16, {4096, width}, where);
    op_call c("softmax");
    c.operand("x", x).operand("y", x).fuse(
        fusion{}.pre(*pre).post(*post).with(dense(nullptr, dtype::f32, {width}, where)));
    const auto e = c.explain({GetParam().arch, true});
    ASSERT_TRUE(e.ok()) << e.status().to_string();
    for (const launch_explanation& l : e->launches) test::expect_no_local_memory(l, GetParam());
    if (testing::Test::IsSkipped()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(targets, fusion_compiles,
                         testing::Values(test::target_name{device_kind::cuda, "sm_90"},
                                         test::target_name{device_kind::hip, "gfx906"}),
                         test::arch_of);

}  // namespace
}  // namespace rowsmith
