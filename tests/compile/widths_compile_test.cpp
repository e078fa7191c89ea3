// Kernels that do not know their width, and kernels that know nothing else (batch-invariant), of operands with and
// without alignment, through the real compilers: no local memory, no spill.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/norm_cases.h"
#include "support/row_cases.h"
#include "support/softmax_family_cases.h"

namespace rowsmith {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class widths_compile : public testing::TestWithParam<target_name> {
 protected:
  void compile(const std::string& name, request r, int flags) {
    SCOPED_TRACE(name);
    backend& b = *backend_for(GetParam().vendor);
    const auto t = b.traits_of(GetParam().arch);
    r.flags = static_cast<std::uint8_t>(flags);
    facts f;
    const status seen = inspect(r, &f);
    ASSERT_TRUE(seen.ok()) << seen.to_string();
    f.fixed.vendor = GetParam().vendor;
    const auto p = make_plan(f.fixed, *t);
    ASSERT_TRUE(p.ok()) << p.status().to_string();
    for (const launch_plan& l : p->launches) {
      SCOPED_TRACE(to_string(f.fixed) + "\n" + to_string(*p));
      const auto s = render(l, f.fixed, *t);
      ASSERT_TRUE(s.ok()) << s.status().to_string();
      const auto made = b.compile(*s, *t);
      ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
      const auto report = b.report(made->code, *t, s->entry);
      ASSERT_TRUE(report.ok()) << report.status().to_string();
      EXPECT_EQ(report->local_bytes, 0);
      EXPECT_EQ(report->spills, 0);
      EXPECT_GE(report->barriers, l.barriers);
      if (l.register_budget != 0) EXPECT_LE(report->registers, l.register_budget);
      if (l.wide_access) EXPECT_GT(report->wide_loads, 0);
    }
  }

  // The first operand begins one element later.
  static request off_by_one(request r) {
    tensor_view& v = r.operands[0].view;
    v.data = static_cast<char*>(v.data) + size_of(v.dtype);
    return r;
  }

  void compile_all(const std::string& name, const request& r) {
    compile(name + " any", r, request_any_width);
    compile(name + " any, off by one", off_by_one(r), request_any_width);
    compile(name + " invariant", r, request_batch_invariant);
    compile(name + " invariant, off by one", off_by_one(r), request_batch_invariant);
  }

  static bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
};

TEST_P(widths_compile, I1_I2_with_no_spill) {
  backend& b = *backend_for(GetParam().vendor);
  const auto t = b.traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  for (const test::norm_case& c : test::norm_cases()) {
    const bool wanted = is_one_of(c.name, {"layer_norm_w1000_bf16", "add_layer_norm_w8192_bf16_sum", "layer_norm_w16384_f32",
                                           "layer_norm_backward_w49_bf16", "layer_norm_backward_w8192_bf16",
                                           "add_rms_norm_w32768_f16_index"});
    if (wanted) compile_all(c.name, test::request_of(c));
  }
  for (const test::named_request& c : test::softmax_family_cases({49, 16384})) {
    const bool wanted = is_one_of(c.name, {"everything_w49_f16", "everything_w16384_f16", "log_backward_masked_w16384_f32",
                                           "causal_w16384_f16"});
    if (wanted) compile_all(c.name, c.call);
  }
  for (const test::row_case& c : test::row_cases()) {
    const bool wanted = is_one_of(c.name, {"gather_backward_w192_f16", "moments_nchw_f16", "moments_nhwc_f32",
                                           "columns_w512_f16"});
    if (wanted) compile_all(c.name, c.what);
  }
}

INSTANTIATE_TEST_SUITE_P(
    targets, widths_compile,
    testing::Values(target_name{device_kind::cuda, "sm_80"}, target_name{device_kind::cuda, "sm_90"},
                    target_name{device_kind::hip, "gfx906"}, target_name{device_kind::hip, "gfx90a"}),
    [](const auto& info) { return std::string(info.param.arch); });

}  // namespace
}  // namespace rowsmith
