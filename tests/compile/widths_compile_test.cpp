// Kernels that do not know their width, and kernels that know nothing else (batch-invariant), of operands with and
// without alignment, through the real compilers.
#include <gtest/gtest.h>

#include <algorithm>

#include "compile/promises.h"
#include "support/norm_cases.h"
#include "support/row_cases.h"
#include "support/softmax_family_cases.h"

namespace rowsmith {
namespace {

class widths_compile : public testing::TestWithParam<test::target_name> {};

// The first operand begins one element later.
request off_by_one(request r) {
  tensor_view& v = r.operands[0].view;
  v.data = static_cast<char*>(v.data) + size_of(v.dtype);
  return r;
}

void add_forms(const std::string& name, const request& r, std::vector<test::named_request>* all) {
  const auto add = [&](const std::string& form, request what, int flags) {
    what.flags = static_cast<std::uint8_t>(flags);
    all->push_back({name + form, what});
  };
  add(" any", r, request_any_width);
  add(" any, off by one", off_by_one(r), request_any_width);
  add(" invariant", r, request_batch_invariant);
  add(" invariant, off by one", off_by_one(r), request_batch_invariant);
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST_P(widths_compile, I1_I2_with_no_spill) {
  std::vector<test::named_request> calls;
  for (const test::norm_case& c : test::norm_cases()) {
    const bool wanted = is_one_of(
        c.name, {"layer_norm_w1000_bf16", "add_layer_norm_w8192_bf16_sum", "layer_norm_w16384_f32",
                 "layer_norm_backward_w49_bf16", "layer_norm_backward_w8192_bf16", "add_rms_norm_w32768_f16_index"});
    if (wanted) add_forms(c.name, test::request_of(c), &calls);
  }
  for (const test::named_request& c : test::softmax_family_cases({49, 16384})) {
    const bool wanted = is_one_of(
        c.name, {"everything_w49_f16", "everything_w16384_f16", "log_backward_masked_w16384_f32", "causal_w16384_f16"});
    if (wanted) add_forms(c.name, c.call, &calls);
  }
  for (const test::row_case& c : test::row_cases()) {
    const bool wanted =
        is_one_of(c.name, {"gather_backward_w192_f16", "moments_nchw_f16", "moments_nhwc_f32", "columns_w512_f16"});
    if (wanted) add_forms(c.name, c.what, &calls);
  }
  test::expect_promises_kept(calls, GetParam());
}

INSTANTIATE_TEST_SUITE_P(targets, widths_compile, testing::ValuesIn(test::usual_targets), test::arch_of);

}  // namespace
}  // namespace rowsmith
