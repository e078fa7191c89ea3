// rowsmith_bench_device --calls: what a call costs the host; --raw-start: the first one, by the driver alone
// (call_cost.h).
// rowsmith_bench_device --list: the cases as JSON, for programs that time the same.
// rowsmith_bench_device --plan [TARGET]: how each would be answered, with no card (sm_90, unless named).
// rowsmith_bench_device [--out FILE.json] [FILTER]: every row of the goals on cuda:0, beside copy, an empty kernel and
// the naive kernel. FILTER: only cases whose name, op or shape contains it. bench/peers/table.py judges the rows.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <string_view>

#include "call_cost.h"
#include "dry_run.h"
#include "measure.h"
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

int fail(std::string_view what, const status& s) {
  fmt::print(stderr, "{}: {}\n{}\n", what, s.to_string(), s.detail());
  return 1;
}

void print(const bench_case& c, const measured& m) {
  const std::string times = m.naive_us == 0 ? "" : fmt::format(" {:7.1f} x naive", m.naive_us / m.ours_us);
  fmt::print("{:<30} {:<9} {:<20} {:<9} {:9.2f} us {:6.0f} GB/s {:5.3f} x copy, empty {:.2f} us, {:.2f} of bound{}\n",
             c.name, dtype_text(c), c.call.shape, m.strategy, m.ours_us, m.bytes / m.ours_us / 1e3,
             m.copy_us / m.ours_us, m.empty_us, m.of_bound, times);
  std::fflush(stdout);
}

int run_cost(std::string_view what, result<nlohmann::json> (*measure)(const graph_timer&)) {
  const auto timer = graph_timer::open();
  const auto cost = timer ? measure(*timer) : result<nlohmann::json>(timer.status());
  if (!cost) return fail(what, cost.status()), 4;
  fmt::print("{}\n", cost->dump());
  return 0;
}

int run_list() {
  nlohmann::json all = nlohmann::json::array();
  for (const bench_case& c : all_cases()) {
    const auto d = description_of(c);
    if (!d) return fail(c.name, d.status());
    all.push_back(*d);
  }
  fmt::print("{}\n", all.dump());
  return 0;
}

int run_plan(const std::string& target) {
  int failed = 0;
  std::set<std::string> compiled;
  for (const bench_case& c : all_cases()) {
    const auto p = plan_on(target, c, &compiled);
    if (p)
      fmt::print("{:<30} {:<16} {:<9} {:<20} {}\n{}\n", c.name, c.call.op, dtype_text(c), c.call.shape, p->strategy,
                 p->instantiation);
    else
      failed = fail(c.name + " " + c.call.shape, p.status());
  }
  return failed;
}

bool is_meant(const bench_case& c, std::string_view filter) {
  return fmt::format("{} {} {} {}", c.name, c.call.op, dtype_text(c), c.call.shape).find(filter) != std::string::npos;
}

int run(const std::string& out, std::string_view filter) {
  const auto timer = graph_timer::open();
  if (!timer) return fail("cuda:0", timer.status()), 4;
  const auto own = own_kernels::build();
  if (!own) return fail("cuda:0", own.status()), 4;
  nlohmann::json report = {{"machine", "unknown"}, {"date", today()}, {"rows", nlohmann::json::array()}};
  for (const device_description& d : devices()) {
    if (d.device.kind == device_kind::cuda && d.device.index == 0) report["machine"] = d.name;
  }
  int failed = 0;
  for (const bench_case& c : all_cases()) {
    if (!is_meant(c, filter)) continue;
    const auto m = measure(c, *timer, *own);
    if (!m) {
      failed = fail(fmt::format("{} {} {}", c.name, dtype_text(c), c.call.shape), m.status());
      continue;
    }
    print(c, *m);
    if (!m->naive_problem.empty())
      failed = fail(c.name + ", the naive kernel", status(code::corrupt, m->naive_problem));
    report["rows"].push_back(row_of(c, *m));
    if (!out.empty()) std::ofstream(out) << report.dump(1) << "\n";  // after every row: a run that is cut off has some
  }
  return failed;
}

}  // namespace
}  // namespace rowsmith::bench

int main(int argc, char** argv) {
  ::setenv("ROWSMITH_WIDTH", "exact", 0);  // many widths of one kind are timed: each with its own kernel
  using namespace rowsmith::bench;
  std::string out;
  std::string_view filter;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--calls") return run_cost(word, measure_calls);
    if (word == "--raw-start") return run_cost(word, measure_raw_start);
    if (word == "--list") return run_list();
    if (word == "--plan") return run_plan(i + 1 < argc ? argv[i + 1] : "sm_90");
    if (word == "--out" && i + 1 < argc)
      out = argv[++i];
    else
      filter = word;
  }
  return run(out, filter);
}
