// Rendered functors and the interpreter through the real compilers, no GPU needed.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "compile/promises.h"
#include "render/expression_text.h"
#include "render/headers.h"
#include "support/expression_cases.h"

namespace rowsmith {
namespace {

class expression_compiles : public testing::TestWithParam<test::target_name> {
 protected:
  code_report compiled(const std::string& header, const std::string& entry, const std::string& text) {
    const bool cuda = GetParam().vendor == device_kind::cuda;
    backend& b = *backend_for(GetParam().vendor);
    const auto t = b.traits_of(GetParam().arch);
    const std::vector<std::string> headers = {cuda ? "machine/cuda.h" : "machine/hip.h", header};
    source s;
    s.name = entry + (cuda ? ".cu" : ".hip");
    s.entry = entry;
    s.text = gather_headers(headers).value() + "using namespace rs;\n" + text;
    const auto made = b.compile(s, *t);
    EXPECT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail() << text;
    return made.ok() ? b.report(made->code, *t, entry).value() : code_report{};
  }

  void SetUp() override {
    backend& b = *backend_for(GetParam().vendor);
    const auto t = b.traits_of(GetParam().arch);
    ASSERT_TRUE(t.ok()) << t.status().to_string();
    if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  }
};

TEST_P(expression_compiles, functors) {
  std::string functors, kernel = "RS_KERNEL(128) every_functor(const float* x, float* y, float p) {\n";
  for (const auto& c : test::expression_cases()) {
    functors += functor_text(c.e, c.name);
    for (int n = 0; n < c.e.output_count(); ++n) {
      std::string arguments;
      for (int k = 0; k < max_expression_arguments; ++k) {
        if ((c.e.arguments_of(n) >> k & 1) == 0) continue;
        arguments += (arguments.empty() ? "x[" : ", x[") + std::to_string(k) + "]";
      }
      kernel += "  *y++ = " + c.name + "_" + std::to_string(n) + "{p, p, p, p}.template operator()<float>(" +
                arguments + ");\n";
    }
  }
  const code_report report = compiled(std::string(functor_header), "every_functor", functors + kernel + "}\n");
  EXPECT_EQ(report.local_bytes, 0);
}

TEST_P(expression_compiles, interpreter) {
  compiled("scalar/interpreter.h", "interpreted",
           "RS_KERNEL(128) interpreted(const u64* words, int count, const float* x, const float* p, float* y) {\n"
           "  interpret(words, count, x + 8 * thread_index(), p, y + 8 * thread_index());\n}\n");
}

INSTANTIATE_TEST_SUITE_P(targets, expression_compiles,
                         testing::Values(test::target_name{device_kind::cuda, "sm_75"},
                                         test::target_name{device_kind::cuda, "sm_90"},
                                         test::target_name{device_kind::hip, "gfx906"},
                                         test::target_name{device_kind::hip, "gfx90a"},
                                         test::target_name{device_kind::hip, "gfx1030"}),
                         test::arch_of);

}  // namespace
}  // namespace rowsmith
