// Rows that are neighbours in memory, of every op that has a kernel for them, through the real compilers: no byte of
// local memory. (What does not compile is answered by the fallback, and nobody would notice.)
#include <gtest/gtest.h>

#include <vector>

#include "compile/promises.h"
#include "rowsmith/call.h"

namespace rowsmith {
namespace {

// [rows, width] with stride 1 from row to row.
tensor_view columns(dtype type, std::int64_t rows, std::int64_t width, device where) {
  tensor_view v = dense(nullptr, type, {rows, width}, where);
  v.stride[0] = 1;
  v.stride[1] = rows;
  return v;
}

struct column_call {
  const char* op;
  std::vector<const char*> full;     // operands of the whole shape
  std::vector<const char*> per_row;  // outputs of one element a row
  int axis;
};

class columns_compile : public testing::TestWithParam<test::target_name> {};

TEST_P(columns_compile, every_op) {
  const device where{GetParam().vendor, 0};
  const column_call calls[] = {{"softmax", {"x", "y"}, {}, 1},
                               {"log_softmax", {"x", "y"}, {"lse"}, 1},
                               {"softmax_backward", {"y", "dy", "dx"}, {}, 1},
                               {"log_softmax_backward", {"y", "dy", "dx"}, {}, 1},
                               {"layer_norm", {"x", "y"}, {"mean", "rstd"}, 1},
                               {"rms_norm", {"x", "y"}, {}, 1},
                               {"add_layer_norm", {"x", "residual", "y"}, {}, 1},
                               {"layer_norm_backward", {"x", "dy", "dx"}, {}, 1},
                               {"moments", {"x"}, {"mean", "variance"}, 2}};
  for (const column_call& call : calls) {
    for (const std::int64_t width : {33, 700, 5003}) {
      SCOPED_TRACE(testing::Message() << call.op << " " << width);
      op_call c(call.op);
      for (const char* role : call.full) c.operand(role, columns(dtype::f16, 4096, width, where));
      for (const char* role : call.per_row) {
        c.operand(role, dense(nullptr, dtype::f32, {4096, 1}, where));
      }
      const auto e = c.axis(call.axis).explain({GetParam().arch, true});
      ASSERT_TRUE(e.ok()) << e.status().to_string();
      for (const launch_explanation& l : e->launches) test::expect_no_local_memory(l, GetParam());
      if (testing::Test::IsSkipped()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(targets, columns_compile,
                         testing::Values(test::target_name{device_kind::cuda, "sm_80"},
                                         test::target_name{device_kind::cuda, "sm_90"},
                                         test::target_name{device_kind::hip, "gfx906"}),
                         test::arch_of);

}  // namespace
}  // namespace rowsmith
