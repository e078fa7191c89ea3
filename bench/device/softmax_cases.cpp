#include <vector>

#include "bench_case.h"

namespace rowsmith::bench {

const std::vector<bench_case>& softmax_cases() {
  constexpr auto f16 = dtype::f16, f32 = dtype::f32, bf16 = dtype::bf16;
  static const std::vector<bench_case> all = {
      {"rows of 128", 262144, 128, f16, f16, 0.97},
      {"rows of 256", 131072, 256, f16, f16, 0.97},
      {"attention [4,32,512,512]", 65536, 512, f16, f16, 0.97},
      {"rows of 768", 65536, 768, f16, f16, 0.97},
      {"rows of 1024", 65536, 1024, f16, f16, 0.97},
      {"rows of 2048", 32768, 2048, f16, f16, 0.97},
      {"rows of 4096", 16384, 4096, f16, f16, 0.97},
      {"rows of 8192", 8192, 8192, f16, f16, 0.97},
      {"rows of 16384", 4096, 16384, f16, f16, 0.96},
      {"rows of 32768", 2048, 32768, f16, f16, 0.97},
      {"rows of 65536", 1024, 65536, f16, f16, 0.93},
      {"rows of 131072", 512, 131072, f16, f16, 0.90},
      {"rows of 262144", 256, 262144, f16, f16, 0.88},
      {"rows of 524288", 512, 524288, f16, f16, 0.85},
      {"rows of 1048576", 256, 1048576, f16, f16, 0.80},
      {"rows of 49", 1048576, 49, f16, f16, 0.93},
      {"rows of 144", 812160, 144, f16, f16, 0.95},
      {"rows of 1000", 65536, 1000, f16, f16, 0.96},
      {"rows of 1023", 65536, 1023, f16, f16, 0.90},
      {"vocabulary 50257", 1024, 50257, f16, f16, 0.88},
      {"vocabulary 128256", 512, 128256, f16, f16, 0.88},
      {"rows of 49", 1048576, 49, f32, f32, 0.95},
      {"rows of 4096", 8192, 4096, f32, f32, 0.97},
      {"vocabulary 50257", 1024, 50257, f32, f32, 0.90},
      {"vocabulary 128256", 512, 128256, f32, f32, 0.88},
      {"rows of 4096", 16384, 4096, bf16, bf16, 0.97},
      {"rows of 4096", 8192, 4096, f16, f32, 0.95},
      {"base off by one", 65536, 512, f16, f16, 0.95, 0, 1},
      {"one row", 1, 128256, f16, f16, 0, 2.5},
      {"one row", 1, 1048576, f16, f16, 0, 5},
      {"few rows", 32, 128256, f16, f16, 0, 6},
  };
  return all;
}

}  // namespace rowsmith::bench
