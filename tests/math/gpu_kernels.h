// gpu_kernels: one kernel a function, of a float per thread, for NVRTC and hipRTC.
#pragma once

#include <string>

#include "math/math_cases.h"
#include "model/source.h"
#include "render/headers.h"

namespace rowsmith::test {

constexpr int math_threads = 256;

inline source math_kernels(const std::string& machine) {
  const std::string headers[] = {"machine/" + machine + ".h", "row/math.h"};
  auto text = gather_headers(headers);
  EXPECT_TRUE(text.ok()) << text.status().to_string();
  source s;
  s.name = "math." + machine;
  s.text = text.ok() ? *text : std::string();
  s.text += "using namespace rs;\nstruct math_args { const float* x; const float* y; float* out; };\n";
  for (const math_function& f : math_functions()) {
    s.text += "RS_KERNEL(256) " + f.entry() +
              "(const math_args a) {\n  const i64 i = block_index() * 256ll + thread_index();\n"
              "  const float x = a.x[i], y = a.y[i];\n  (void)y;\n  a.out[i] = " +
              f.expression + ";\n}\n";
  }
  s.entry = math_functions()[0].entry();
  return s;
}

}  // namespace rowsmith::test
