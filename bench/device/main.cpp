// rowsmith_bench_device --calls: what a call costs the host (call_cost.h).
// rowsmith_bench_device [--out FILE.json] [FILTER]: every row of the goals on cuda:0, beside copy, an empty kernel and
// the naive kernel. FILTER: only cases whose name or shape contains it.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>

#include "bench_case.h"
#include "call_cost.h"
#include "rowsmith/runtime.h"

namespace rowsmith::bench {
namespace {

std::string today() {
  char text[16];
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

void print(const nlohmann::json& r) {
  const bool timed = r["goal_us"].get<double>() > 0;
  fmt::print(
      "{:<26} {:<9} {:<14} {:<9} {:9.2f} us {:7.0f} GB/s {:5.3f} x copy (goal {:4.2f}) {:7.1f} x naive  err {:.1e}{}\n",
      r["case"].get<std::string>(), r["dtype"].get<std::string>(), r["shape"].get<std::string>(),
      r["strategy"].get<std::string>(), r["ours_us"].get<double>(), r["ours_gbps"].get<double>(),
      r["x_copy"].get<double>(), r["goal"].get<double>(), r["naive_us"].get<double>() / r["ours_us"].get<double>(),
      r["max_abs_err"].get<double>(),
      timed ? fmt::format("  goal {:.1f} us (empty {:.1f})", r["goal_us"].get<double>(), r["empty_us"].get<double>())
            : "");
  std::fflush(stdout);
}

int run_calls() {
  const auto timer = graph_timer::open();
  const auto calls = timer ? measure_calls(*timer) : result<nlohmann::json>(timer.status());
  if (!calls) {
    fmt::print(stderr, "{}\n", calls.status().to_string());
    return 4;
  }
  fmt::print("{}\n", calls->dump());
  return 0;
}

int run(const std::string& out, std::string_view filter) {
  const auto timer = graph_timer::open();
  if (!timer) {
    fmt::print(stderr, "{}\n", timer.status().to_string());
    return 4;
  }
  nlohmann::json report = {{"machine", "unknown"}, {"date", today()}, {"rows", nlohmann::json::array()}};
  for (const device_description& d : devices()) {
    if (d.device.kind == device_kind::cuda && d.device.index == 0) report["machine"] = d.name;
  }
  int failures = 0;
  for (const bench_case& c : softmax_cases()) {
    if (c.name.find(filter) == std::string::npos && shape_text(c).find(filter) == std::string::npos) continue;
    const auto row = run_case(c, *timer);
    if (!row) {
      fmt::print(stderr, "{} {}: {}\n{}\n", c.name, shape_text(c), row.status().to_string(), row.status().detail());
      ++failures;
      continue;
    }
    print(*row);
    report["rows"].push_back(*row);
  }
  if (!out.empty()) std::ofstream(out) << report.dump(1) << "\n";
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rowsmith::bench

int main(int argc, char** argv) {
  ::setenv("ROWSMITH_WIDTH", "exact", 0);  // many widths of one kind are timed: each with its own kernel
  std::string out;
  std::string_view filter;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--calls") return rowsmith::bench::run_calls();
    if (std::string_view(argv[i]) == "--out" && i + 1 < argc)
      out = argv[++i];
    else
      filter = argv[i];
  }
  return rowsmith::bench::run(out, filter);
}
