// What a warm call costs on the host: the null device launches nothing, so that all that remains is Rowsmith.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "rowsmith/rowsmith.h"

namespace {

constexpr rowsmith::device null_device{rowsmith::device_kind::null, 0};

struct tensors {
  std::vector<rowsmith::tensor_view> x, y;
};

tensors make(int shapes) {
  tensors t;
  for (int i = 0; i < shapes; ++i) {
    const std::int64_t width = 128 + 8 * i;
    const auto at = [&](std::uintptr_t base) { return reinterpret_cast<void*>(base << 40); };
    t.x.push_back(rowsmith::dense(at(1), rowsmith::dtype::f16, {4, 32, 512, width}, null_device));
    t.y.push_back(rowsmith::dense(at(2), rowsmith::dtype::f16, {4, 32, 512, width}, null_device));
  }
  return t;
}

void warm_call(benchmark::State& state) {
  static const tensors t = make(200);
  const auto shapes = static_cast<std::size_t>(state.range(0));
  for (std::size_t i = 0; i < shapes; ++i) (void)rowsmith::softmax(t.x[i], t.y[i]);
  std::size_t i = 0;
  for (auto _ : state) {
    rowsmith::status s = rowsmith::softmax(t.x[i], t.y[i]);
    benchmark::DoNotOptimize(s);
    if (++i == shapes) i = 0;
  }
}

BENCHMARK(warm_call)->Arg(1)->Arg(16)->Arg(200)->ThreadRange(1, 16)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
