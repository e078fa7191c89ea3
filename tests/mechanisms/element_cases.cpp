// elementwise and copy.
#include "mechanisms/cases.h"
#include "support/elementwise_check.h"

namespace rowsmith::test {
namespace {

constexpr dtype h = dtype::f16, b = dtype::bf16, f = dtype::f32, mask = dtype::b8;

void elementwise_flat() {
  for (const std::int64_t n : {1, 257, 9001}) {
    check_elementwise({{silu(arg(0))}, {{b, {n}}}, {{b, {n}}}, {}});
    check_elementwise({{gelu_tanh(arg(0) + arg(1)), arg(0) * arg(1)},
                       {{h, {n}, {}, {edge::end, 1}}, {f, {n}}},
                       {{f, {n}}, {h, {n}, {}, {edge::end, 3}}},
                       {}});
  }
  check_elementwise({{sigmoid(arg(0) + arg(1))}, {{b, {5, 97}}, {b, {97}}}, {{b, {5, 97}}}, {}});
  check_elementwise({{where(arg(1), param(0), arg(0))},
                     {{h, {3001}}, {mask, {3001}, {}, {edge::end, 1}}},
                     {{h, {3001}}},
                     elementwise_options().param(0, -3)});
  check_elementwise({{relu(arg(0)) - arg(1)}, {{f, {9, 65}, {130, 2}}, {f, {9, 1}}}, {{f, {9, 65}}}, {}});
}

void elementwise_functions() {
  const std::vector<float> x = {-100, -9, -1, -0.1f, 0, 1e-30f, 0.3f, 0.9f, 1, 2, 7, 40, 88, 1e30f};
  const auto of = [&](const expr& e) { check_elementwise({{e}, {{f, {14}, {}, {}, x}}, {{f, {14}}}, {}}); };
  of(exp(arg(0))), of(log1p(abs(arg(0)))), of(tanh(arg(0))), of(erf(arg(0))), of(pow(abs(arg(0)), 0.7f));
  of(gelu_erf(arg(0))), of(gelu_tanh(arg(0))), of(silu(arg(0))), of(sqrt(abs(arg(0)))), of(log(abs(arg(0))));
}

void copy_flat() {
  for (const dtype type : {b, f, mask, dtype::i64}) {
    check_copy({type, {9001}}, {type, {9001}});
    check_copy({type, {257}, {}, {edge::end, 1}}, {type, {257}});
    check_copy({type, {7, 1}}, {type, {7, 100}});
  }
  check_copy({h, {3001}}, {f, {3001}});
}

void copy_crossed() {
  for (const dtype type : {b, f, dtype::i64}) {
    check_copy({type, {65, 130}, {1, 65}}, {type, {65, 130}});
    check_copy({type, {66, 130}, {1, 72}}, {type, {66, 130}});
    check_copy({type, {3, 96, 72}, {96 * 72, 1, 96}}, {type, {3, 96, 72}});
    check_copy({type, {64, 64}, {1, 65}, {edge::end, 1}}, {type, {64, 64}});
  }
  check_copy({f, {71, 70}, {1, 71}}, {h, {71, 70}});
}

}  // namespace

std::vector<mechanism_case> element_mechanisms() {
  return {{"elementwise_flat", elementwise_flat, {"rs_elementwise_flat"}},
          {"elementwise_functions", elementwise_functions, {}},
          {"copy_flat", copy_flat, {"rs_copy_flat"}},
          {"copy_crossed", copy_crossed, {"rs_copy_crossed"}}};
}

}  // namespace rowsmith::test
