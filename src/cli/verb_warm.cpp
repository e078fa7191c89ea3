// rowsmith warm MANIFEST --target …: builds the kernels of recorded requests; no GPU needed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/deploy_arguments.h"
#include "cli/progress_bar.h"
#include "cli/verbs.h"

namespace rowsmith::cli {

namespace {

struct warm_arguments : deploy_arguments {
  int jobs = 0;
  bool logs = false;
};

json as_object(const warm_report& r) {
  json targets = json::array();
  for (const warm_target& t : r.targets) {
    json failures = json::array();
    for (const warm_failure& f : t.failures) {
      failures.push_back({{"kernel", f.kernel}, {"line", f.line}, {"why", f.why}, {"log", f.log}});
    }
    targets.push_back({{"target", t.target},
                       {"compiler", t.compiler},
                       {"problem", t.problem.empty() ? json() : json(t.problem)},
                       {"kernels", t.kernels},
                       {"present", t.present},
                       {"built", t.built},
                       {"failed", t.failed},
                       {"compiles", t.compiles},
                       {"compile_seconds", t.compile_seconds},
                       {"bytes", t.bytes},
                       {"failures", failures}});
  }
  return {{"complete", r.complete()},
          {"requests", r.requests},
          {"seconds", r.seconds},
          {"refused_lines", refused_as_json(r.refused)},
          {"targets", targets}};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string as_text(const warm_report& r, bool logs) {
  std::vector<std::vector<std::string>> rows;
  std::string problems = refused_as_text(r.refused);
  for (const warm_target& t : r.targets) {
    rows.push_back({t.target, std::to_string(t.kernels), std::to_string(t.built), std::to_string(t.present),
                    std::to_string(t.failed), std::to_string(t.compiles), fmt::format("{:.1f} s", t.compile_seconds),
                    human_bytes(t.bytes), t.compiler});
    if (!t.problem.empty()) problems += t.target + ": " + (logs ? t.problem : first_line(t.problem)) + "\n";
    for (const warm_failure& f : t.failures) {
      problems += fmt::format("{}, line {}: {}\n  {}\n", t.target, f.line, f.kernel, f.why);
      problems += indented(logs ? f.log : first_line(f.log), 4);
    }
  }
  return table({"TARGET", "KERNELS", "BUILT", "PRESENT", "FAILED", "COMPILES", "COMPILING", "SIZE", "COMPILER"}, rows) +
         fmt::format("{} requests in {:.1f} s\n", r.requests, r.seconds) + problems;
}

int run(const warm_arguments& a) {
  if (a.jobs < 0) return fail({code::invalid_argument, fmt::format("--jobs: found {}, 0 or more is allowed", a.jobs)});
  const auto which = parse_alignments(a.alignments);
  if (!which) return fail(which.status());
  warm_options how;
  how.jobs = a.jobs;
  how.cache_dir = a.cache_dir;
  how.alignments = *which;
  const auto report = [&] {
    progress_bar bar;
    how.user = &bar;
    how.progress = [](const deploy_progress& now, void* user) {
      static_cast<progress_bar*>(user)->show(now.done, now.total);
    };
    return warm(a.manifest, a.targets, how);
  }();
  if (!report) return fail(report.status());
  if (a.as_json) {
    print_json(as_object(*report));
  } else {
    print_text(as_text(*report, a.logs));
  }
  return report->complete() ? exit_ok : exit_partial;
}

}  // namespace

void add_warm(CLI::App& app, int* exit) {
  auto a = std::make_shared<warm_arguments>();
  CLI::App* verb = app.add_subcommand(
      "warm",
      "Builds what recorded requests need on each target; needs no GPU. What is in the cache is left alone, so it may "
      "be interrupted and run again. Ends with 13 when a line, target or kernel was left out; the others are built");
  a->add_to(verb, "usual");
  verb->add_option("--jobs", a->jobs, "Compiles at a time; 0: one a hardware thread")->capture_default_str();
  verb->add_flag("--logs", a->logs, "Show compilers' logs whole");
  verb->callback([a, exit] { *exit = run(*a); });
}

}  // namespace rowsmith::cli
