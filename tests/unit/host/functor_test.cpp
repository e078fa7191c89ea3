// Rendered functors on floats and on packs, by every compiler and CPU form at hand, against float64.
#include <random>

#include "render/expression_text.h"
#include "support.h"
#include "support/expression_cases.h"

namespace rowsmith::host_test {
namespace {

class functor : public testing::TestWithParam<toolchain> {};

constexpr int most_arguments = 3;
constexpr float params[] = {0.75f, 0.5f};

// "name_0{…}(x0, x2)", or with T named where there is no argument; xk is what `element` makes of argument k.
std::string call_text(const expression& e, int output, const std::string& name, const char* type, const char* load) {
  std::string arguments;
  for (int k = 0; k < most_arguments; ++k) {
    if ((e.arguments_of(output) >> k & 1) == 0) continue;
    arguments += (arguments.empty() ? "" : ", ") + std::string(load) + "(in + " + std::to_string(k) + " * n + i)";
  }
  const std::string made = name + "_" + std::to_string(output) + "{0.75f, 0.5f, 0, 0}";
  return arguments.empty() ? made + ".template operator()<" + type + ">()" : made + "(" + arguments + ")";
}

// Kernels NAME_n_pack and NAME_n_float: op[0] holds the arguments one after the other, `width` elements each.
std::string kernel_text(const test::expression_case& c) {
  std::string text = functor_text(c.e, c.name);
  for (int n = 0; n < c.e.output_count(); ++n) {
    const std::string entry = "rs_test_" + c.name + "_" + std::to_string(n);
    const auto body = [&](const char* form, const char* step, const char* type, const char* load) {
      return "RS_KERNEL " + entry + form + "(const row_args<2, 7>* a, i64, i64) {\n" +
             "  const f32* in = static_cast<const f32*>(a->op[0].data);\n  (void)in;\n" +
             "  const i64 n = a->width;\n  f32* out = static_cast<f32*>(a->op[1].data);\n" +
             "  for (i64 i = 0; i < n; i += " + step + ") put(out + i, " + call_text(c.e, n, c.name, type, load) +
             ");\n}\n";
    };
    text += body("_pack", "pack_size", "pack", "load") + body("_float", "1", "float", "one");
  }
  return text;
}

constexpr const char* k_access = R"(
RS_DEVICE float one(const f32* p) { return *p; }
RS_DEVICE void put(f32* p, float v) { *p = v; }
RS_DEVICE void put(f32* p, pack v) { store(p, v); }
)";

TEST_P(functor, gives_what_float64_gives) {
  const auto cases = test::expression_cases();
  std::string text = std::string("#include \"") + std::string(functor_header) + "\"\n" + k_access;
  for (const auto& c : cases) text += kernel_text(c);
  const kernels all(GetParam(), text, "rs_test_" + cases[0].name + "_0_pack");
  ASSERT_TRUE(all.ok());

  constexpr int width = 256;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> in(most_arguments * width), out(width);
  for (float& v : in) v = normal(random);
  for (const auto& c : cases) {
    for (int n = 0; n < c.e.output_count(); ++n) {
      for (const char* form : {"_pack", "_float"}) {
        argument_block a;
        a.rows = 1;
        a.width = width;
        a.op[0].data = in.data();
        a.op[1].data = out.data();
        ASSERT_TRUE(launch(*all.load("rs_test_" + c.name + "_" + std::to_string(n) + form), a).ok());
        for (std::size_t i = 0; i < width; ++i) {
          const auto want = test::evaluate(c.e, std::vector<double>{in[i], in[width + i], in[2 * width + i]},
                                           std::vector<double>(std::begin(params), std::end(params)));
          ASSERT_TRUE(test::agrees(want[static_cast<std::size_t>(n)], out[i])) << c.name << form << ", element " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(toolchains, functor, testing::ValuesIn(toolchains()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace rowsmith::host_test
