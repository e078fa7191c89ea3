#include "bench_case.h"

namespace rowsmith::bench {

std::vector<bench_case> elementwise_cases() {
  // Dense, so that the axes merge: 2^24, 2^27 and 4096 elements.
  const cli::op_words silu = {.expr = "silu(x)"}, gelu = {.expr = "gelu_tanh(x)"}, gate = {.expr = "sigmoid(x + in1)"};
  return {
      {"silu", call("elementwise", "16384x1024", "bf16", silu), {0.98}, {}},
      {"silu, base off by one", call("elementwise", "16384x1024", "bf16", silu), {0.97}, {}, 1},
      {"gelu, tanh", call("elementwise", "16384x1024", "bf16", gelu), {0.98}, {}},
      {"add + sigmoid", call("elementwise", "131072x1024", "bf16", gate), {0.99}, {}},
      {"add + sigmoid, launch-bound", call("elementwise", "4096", "bf16", gate), {0, 0.15}, {}},
  };
}

}  // namespace rowsmith::bench
