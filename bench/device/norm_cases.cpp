#include "bench_case.h"

namespace rowsmith::bench {

std::vector<bench_case> norm_cases() {
  const cli::op_words bare = {.with = {"none"}}, sum = {.with = {"sum"}}, weight = {.with = {"weight"}},
                      weight_and_sum = {.with = {"weight", "sum"}};
  return {
      {"layer norm, no affine", call("layer_norm", "131040x192", "f16", bare), {0.97}, {}},
      {"layer norm, no affine", call("layer_norm", "32760x384", "f16", bare), {0.97}, {}},
      {"add + layer norm, sum stored", call("add_layer_norm", "131040x192", "f16", sum), {0.98}, {}},
      {"add + layer norm, sum stored", call("add_layer_norm", "32760x384", "f16", sum), {0.96}, {}},
      {"layer norm, weight + bias", call("layer_norm", "65536x1024", "bf16"), {0.97}, {}},
      {"layer norm, weight + bias", call("layer_norm", "8192x8192", "bf16"), {0.97}, {}},
      {"layer norm, weight + bias", call("layer_norm", "4096x16384", "bf16"), {0.97}, {}},
      {"layer norm, weight + bias", call("layer_norm", "16384x5120", "bf16"), {0.97}, {}},
      {"rms norm, weight", call("rms_norm", "16384x4096", "bf16", weight), {0.98}, {}},
      {"rms norm, weight", call("rms_norm", "2048x32768", "bf16", weight), {0.97}, {}},
      {"add + rms norm, sum stored", call("add_rms_norm", "16384x4096", "bf16", weight_and_sum), {0.98}, {}},
      {"add + rms norm, sum stored", call("add_rms_norm", "32768x768", "bf16", weight_and_sum), {0.97}, {}},
  };
}

}  // namespace rowsmith::bench
