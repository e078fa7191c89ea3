// rowsmith_bench_hip_compile [TARGET...]: what a compile costs for AMD targets (gfx906 and gfx90a): processor time of
// this process, the least and the median of ten, the first not counted. Needs no GPU.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "backend/hip/comgr_compiler.h"
#include "backend/hip/hiprtc.h"
#include "by_hand.h"
#include "cli/op_setup.h"

namespace rowsmith::bench {
namespace {

constexpr int times = 10;

struct kernel {
  std::string name, text;
};

double processor_ms() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) * 1e-3;
  };
  return ms(u.ru_utime) + ms(u.ru_stime);
}

std::vector<kernel> kernels_of(const std::string& line, const std::string& target) {
  CLI::App app;
  cli::op_words words;
  cli::add_op_words(&app, &words);
  app.parse(line);
  const cli::op_setup s = cli::setup_of(words).value();
  const std::vector<void*> nowhere(s.tensors.size(), nullptr);
  explain_options how;
  how.target = target;
  how.compile = false;
  std::vector<kernel> all;
  const explanation e = cli::call_of(s, {device_kind::hip, 0}, nowhere).explain(how).value();
  for (const launch_explanation& l : e.launches) all.push_back({l.entry + " " + words.shape, l.source});
  return all;
}

void measure(hip::compiler& by, const char* name, const kernel& k, const std::string& target) {
  source s;
  s.name = "kernel.hip";
  s.text = k.text;
  std::vector<double> cost;
  for (int i = 0; i <= times; ++i) {
    const double before = processor_ms();
    const auto made = by.compile(s, target);
    if (!made) return (void)std::printf("%-8s %-44s %s\n", name, k.name.c_str(), made.status().to_string().c_str());
    if (i > 0) cost.push_back(processor_ms() - before);
  }
  std::sort(cost.begin(), cost.end());
  std::printf("%-7s %-7s %-44s %6.1f %6.1f ms\n", target.c_str(), name, k.name.c_str(), cost.front(),
              cost[cost.size() / 2]);
  std::fflush(stdout);
}

void measure_all(const std::string& target) {
  std::vector<kernel> all = {{"softmax by hand", softmax_by_hand}};
  for (const char* line : {"softmax --shape 4096x1024 --dtype f16", "softmax --shape 4096x4096 --dtype f16",
                           "layer_norm --shape 4096x1024 --dtype f16", "gather_rows --shape 4096x192 --dtype f16",
                           "elementwise --shape 4096x1024 --dtype bf16 --expr \"silu(x)\"",
                           "elementwise --shape 4096x1024 --dtype f32 --expr \"x + in1\""}) {
    for (kernel& k : kernels_of(line, target)) all.push_back(std::move(k));
  }
  hip::comgr_compiler comgr;
  hip::hiprtc hiprtc;
  for (const kernel& k : all) {
    measure(comgr, "comgr", k, target);
    measure(hiprtc, "hiprtc", k, target);
  }
}

}  // namespace
}  // namespace rowsmith::bench

int main(int argc, char** argv) {
  std::vector<std::string> targets(argv + 1, argv + argc);
  if (targets.empty()) targets = {"gfx906", "gfx90a"};
  for (const std::string& t : targets) rowsmith::bench::measure_all(t);
}
