// The elementwise functions on the host: on floats one by one and on packs, by every compiler and CPU form at hand.
#include <map>

#include "math/math_cases.h"
#include "unit/host/support.h"

namespace rowsmith::test {
namespace {

struct form {
  host_test::toolchain with;
  bool packs;
};

// op[0] is x, the workspace y, op[1] the result.
std::string text_of(bool packs) {
  std::string text = "#include \"row/math.h\"\n";
  for (const math_function& f : math_functions()) {
    const std::string head = "RS_KERNEL " + f.entry() + R"((const row_args<2, 7>* a, i64, i64) {
  const f32* xs = static_cast<const f32*>(a->op[0].data);
  [[maybe_unused]] const f32* ys = static_cast<const f32*>(a->workspace);
  f32* out = static_cast<f32*>(a->op[1].data);
)";
    const std::string y = f.operands == 2 ? (packs ? " const pack y = load(ys + i);" : " const float y = ys[i];") : "";
    text += head + (packs ? "  for (i64 i = 0; i < a->width; i += pack_size) { const pack x = load(xs + i);" + y +
                                " store(out + i, " + f.expression + "); }\n}\n"
                          : "  for (i64 i = 0; i < a->width; ++i) { const float x = xs[i];" + y +
                                " out[i] = " + f.expression + "; }\n}\n");
  }
  return text;
}

class host_math : public testing::TestWithParam<form> {
 protected:
  void SetUp() override { ASSERT_TRUE(all_.ok()); }

  math_runner runner() {
    return [this](const math_function& f, const std::vector<float>& x, const std::vector<float>& y) {
      std::vector<float> out(x.size());
      host_test::argument_block a;
      a.rows = 1;
      a.width = static_cast<std::int64_t>(x.size());
      a.op[0].data = x.data();
      a.op[1].data = out.data();
      a.workspace = const_cast<float*>(y.data());
      EXPECT_TRUE(host_test::launch(*all_.load(f.entry()), a).ok());
      return out;
    };
  }

  void vectors(std::initializer_list<std::string_view> ids) { expect_vectors_right(runner(), std::vector(ids)); }

  host_test::kernels all_{GetParam().with, text_of(GetParam().packs), math_functions()[0].entry()};
};

TEST_P(host_math, every_function) { expect_every_function_right(runner()); }
TEST_P(host_math, J11_J13_gelu_keeps_its_tail_and_its_sign) { vectors({"J11", "J13"}); }
TEST_P(host_math, J14_J16_A25_subnormal_results) { vectors({"J14", "J16", "A25", "exp"}); }
TEST_P(host_math, J17_infinities) { vectors({"J17"}); }
TEST_P(host_math, E2_E5_rounding_to_storage) { vectors({"E2", "E5"}); }

std::vector<form> forms() {
  std::vector<form> all;
  for (const host_test::toolchain& t : host_test::toolchains()) {
    for (const bool packs : {false, true}) all.push_back({t, packs});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(machines, host_math, testing::ValuesIn(forms()), [](const auto& info) {
  return host_test::name_of(info.param.with) + (info.param.packs ? "_packs" : "_floats");
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(host_math);

}  // namespace
}  // namespace rowsmith::test
