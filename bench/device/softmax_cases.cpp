#include "bench_case.h"

namespace rowsmith::bench {

namespace {

// Plain calls along the last axis.
struct plain {
  const char *name, *op, *shape, *type;
  bench_goal goal;
};

constexpr plain k_plain[] = {
    {"rows of 128", "softmax", "262144x128", "f16", {0.97}},
    {"rows of 256", "softmax", "131072x256", "f16", {0.97}},
    {"attention [4,32,512,512]", "softmax", "65536x512", "f16", {0.97}},
    {"rows of 768", "softmax", "65536x768", "f16", {0.97}},
    {"rows of 1024", "softmax", "65536x1024", "f16", {0.97}},
    {"rows of 2048", "softmax", "32768x2048", "f16", {0.97}},
    {"rows of 4096", "softmax", "16384x4096", "f16", {0.97}},
    {"rows of 8192", "softmax", "8192x8192", "f16", {0.97}},
    {"rows of 16384", "softmax", "4096x16384", "f16", {0.96}},
    {"rows of 32768", "softmax", "2048x32768", "f16", {0.97}},
    {"rows of 65536", "softmax", "1024x65536", "f16", {0.93}},
    {"rows of 131072", "softmax", "512x131072", "f16", {0.90}},
    {"rows of 262144", "softmax", "256x262144", "f16", {0.88}},
    {"rows of 524288", "softmax", "512x524288", "f16", {0.85}},
    {"rows of 1048576", "softmax", "256x1048576", "f16", {0.80}},
    {"rows of 49", "softmax", "1048576x49", "f16", {0.93}},
    {"rows of 144", "softmax", "812160x144", "f16", {0.95}},
    {"rows of 1000", "softmax", "65536x1000", "f16", {0.96}},
    {"rows of 1023", "softmax", "65536x1023", "f16", {0.90}},
    {"vocabulary 50257", "softmax", "1024x50257", "f16", {0.88}},
    {"vocabulary 128256", "softmax", "512x128256", "f16", {0.88}},
    {"rows of 49", "softmax", "1048576x49", "f32", {0.95}},
    {"rows of 4096", "softmax", "8192x4096", "f32", {0.97}},
    {"vocabulary 50257", "softmax", "1024x50257", "f32", {0.90}},
    {"vocabulary 128256", "softmax", "512x128256", "f32", {0.88}},
    {"rows of 4096", "softmax", "16384x4096", "bf16", {0.97}},
    {"one row", "softmax", "1x128256", "f16", {0, 2.5}},
    {"one row", "softmax", "1x1048576", "f16", {0, 5}},
    {"few rows", "softmax", "32x128256", "f16", {0, 6}},
    {"backward", "softmax_backward", "65536x512", "f16", {0.98}},
    {"backward", "softmax_backward", "2048x32768", "f16", {0.97}},
    {"log softmax", "log_softmax", "16384x4096", "f16", {0.97}},
    {"log softmax", "log_softmax", "8192x8192", "f16", {0.97}},
};

}  // namespace

std::vector<bench_case> softmax_cases() {
  std::vector<bench_case> all;
  for (const plain& p : k_plain) all.push_back({p.name, call(p.op, p.shape, p.type), p.goal, {}});
  all.push_back({"f16 to f32", call("softmax", "8192x4096", "f16", {.out_type = "f32"}), {0.95}, {}});
  all.push_back({"base off by one", call("softmax", "65536x512", "f16"), {0.95}, {}, 1});
  // A batch of 940 windows of 144 tokens: the mask is a window's, the bias a head's.
  all.push_back({"window, scale + bias + mask",
                 call("softmax", "940x6x144x144", "f16",
                      {.with = {"mask", "bias"},
                       .shape_of = {"mask=940x1x144x144", "bias=6x144x144"},
                       .set = {"mask=additive"},
                       .scalars = {"scale=0.1767767"}}),
                 {0.92},
                 {}});
  // Counted as if all of it were read, which the upper half need not be.
  all.push_back({"causal", call("softmax", "4x32x512x512", "f16", {.causal = "0"}), {1.00}, {}});
  return all;
}

}  // namespace rowsmith::bench
