// softmax_child DEVICE WIDTH…: one softmax for each width, then what it took, as "name=value" lines.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "rowsmith/rowsmith.h"

namespace {

bool rows_sum_to_one(const std::vector<float>& y, std::size_t width) {
  for (std::size_t row = 0; row < y.size() / width; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) sum += y[row * width + i];
    if (std::abs(sum - 1.0) > 1e-5) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  rowsmith::device where;
  if (argc < 3 || !rowsmith::parse(argv[1], &where)) return 2;
  const bool computes = where.kind == rowsmith::device_kind::host;
  for (int i = 2; i < argc; ++i) {
    const std::int64_t width = std::atoll(argv[i]), rows = 8;
    std::vector<float> x(static_cast<std::size_t>(rows * width)), y(x.size(), -1.0f);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k % 13) - 6.0f;
    const auto xv = rowsmith::dense(x.data(), rowsmith::dtype::f32, {rows, width}, where);
    const auto yv = rowsmith::dense(y.data(), rowsmith::dtype::f32, {rows, width}, where);
    if (const auto s = rowsmith::softmax(xv, yv); !s.ok()) {
      fmt::print("error={}\n", s.to_string());
      return 1;
    }
    if (computes && !rows_sum_to_one(y, static_cast<std::size_t>(width))) {
      fmt::print("wrong={}\n", width);
      return 1;
    }
    fmt::print("strategy={}\nsource={}\n", rowsmith::last_cold_call().strategy, rowsmith::last_cold_call().source);
  }
  const auto c = rowsmith::counters();
  fmt::print("compiled={}\ndisk={}\nfallbacks={}\nfailures={}\ndamaged={}\nstore_failures={}\n", c.compiled,
             c.loaded_from_disk, c.fallback_kernels, c.compile_failures, c.cache_damaged, c.cache_store_failures);
  return 0;
}
