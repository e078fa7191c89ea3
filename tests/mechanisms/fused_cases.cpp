// Expressions before and behind a row op.
#include "mechanisms/cases.h"
#include "reference/norm.h"
#include "support/fusion_check.h"
#include "support/index_tensor.h"

namespace rowsmith::test {
namespace {

void lanes() { check_softmax_around({dtype::f16, dtype::f16, 9, 512}, true, true); }
void staged() { check_softmax_around({dtype::f32, dtype::f32, 70, 49}, true, true); }
void block() { check_softmax_around({dtype::bf16, dtype::bf16, 3, 4096}, true, true); }
void streamed() { check_softmax_around({dtype::f16, dtype::f32, 1, 40000}, true, true); }

// Rows that an index picks, and of which some are not there.
void norm() {
  for (const std::int64_t width : {49, 192}) {
    const std::vector<std::int64_t> picks = {4, -1, 0, 5, 2};
    const device where = under_test().where;
    tensor x(where, dtype::f16, {5, width}), y(where, dtype::f32, {5, width}, {}, {}, output_poison);
    const index_tensor index(where, dtype::i64, {5}, picks);
    x.write(normal(5 * width, 2));
    around a(width);
    op_call call("norm_gather");
    call.operand("x", const_tensor_view(x.view())).operand("index", index.view()).operand("y", y.view());
    ASSERT_TRUE(a.run(call));
    const std::vector<float> input = x.written(), got = stored_in(y);
    for (std::int64_t r = 0; r < 5; ++r) {
      const std::int64_t pick = picks[static_cast<std::size_t>(r)];
      expected want(static_cast<std::size_t>(width));
      if (pick >= 0 && pick < 5) want = rowsmith::reference::layer_norm(a.seen(row_of(input, width, pick)), 1e-5).y;
      ASSERT_TRUE(rowsmith::reference::within(a.stored(want), dtype::f32, row_of(got, width, r))) << r;
    }
  }
}

}  // namespace

std::vector<mechanism_case> fused_mechanisms() {
  return {{"fused_lanes", lanes, {"rs_softmax_lanes"}},
          {"fused_staged", staged, {"rs_softmax_staged"}},
          {"fused_block", block, {"rs_softmax_block"}},
          {"fused_streamed", streamed, {"rs_softmax_streamed"}},
          {"fused_norm", norm, {"rs_layer_norm_lanes"}}};
}

}  // namespace rowsmith::test
