// rowsmith cache coverage MANIFEST --target …: what would hit, what not, and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/deploy_arguments.h"
#include "cli/layers.h"
#include "cli/verbs.h"

namespace rowsmith::cli {

namespace {

struct coverage_arguments : deploy_arguments {
  bool any_compiler = false;
};

// Nothing, where nothing was asked for.
std::optional<double> percent(const target_coverage& t) {
  if (t.kernels == 0) return std::nullopt;
  return 100.0 * static_cast<double>(t.present) / static_cast<double>(t.kernels);
}

json as_object(const coverage_report& r) {
  json targets = json::array();
  for (const target_coverage& t : r.targets) {
    json missing = json::array(), layers = json::object();
    for (const missing_kernel& k : t.missing) {
      missing.push_back({{"kernel", k.kernel},
                         {"line", k.line},
                         {"digest", k.digest},
                         {"nearest", k.nearest.empty() ? json() : json(k.nearest)},
                         {"differs", k.differs}});
    }
    for (const auto& [name, count] : t.layers) layers[name] = count;
    targets.push_back({{"target", t.target},
                       {"problem", t.problem.empty() ? json() : json(t.problem)},
                       {"kernels", t.kernels},
                       {"present", t.present},
                       {"percent", percent(t) ? json(*percent(t)) : json()},
                       {"layers", layers},
                       {"missing", missing}});
  }
  return {{"complete", r.complete()},
          {"requests", r.requests},
          {"refused_lines", refused_as_json(r.refused)},
          {"targets", targets},
          {"layers_off", r.layers_off}};
}

std::string as_text(const coverage_report& r) {
  std::vector<std::vector<std::string>> rows;
  std::string problems = refused_as_text(r.refused);
  for (const target_coverage& t : r.targets) {
    std::string layers;
    for (const auto& [name, count] : t.layers)
      layers += fmt::format("{}{} {}", layers.empty() ? "" : ", ", count, name);
    rows.push_back({t.target, std::to_string(t.kernels), std::to_string(t.present),
                    percent(t) ? fmt::format("{:.1f} %", *percent(t)) : "-", layers});
    if (!t.problem.empty()) problems += t.target + ": " + t.problem + "\n";
    for (const missing_kernel& k : t.missing) {
      problems += fmt::format("{}, line {}: {}\n  {}\n", t.target, k.line, k.kernel,
                              k.nearest.empty() ? nothing_there(r.layers_off)
                                                : fmt::format("the nearest entry, {}, differs in {}",
                                                              k.nearest.substr(0, 8), fmt::join(k.differs, ", ")));
    }
  }
  return table({"TARGET", "KERNELS", "PRESENT", "COVERAGE", "FROM"}, rows) + problems + off_as_text(r.layers_off);
}

int run(const coverage_arguments& a) {
  const auto which = parse_alignments(a.alignments);
  if (!which) return fail(which.status());
  coverage_options how;
  how.cache_dir = a.cache_dir;
  how.alignments = *which;
  how.any_compiler = a.any_compiler;
  const auto report = coverage(a.manifest, a.targets, how);
  if (!report) return fail(report.status());
  if (a.as_json) {
    print_json(as_object(*report));
  } else {
    print_text(as_text(*report));
  }
  return report->complete() ? exit_ok : exit_would_compile;
}

}  // namespace

void add_cache_coverage(CLI::App& cache, int* exit) {
  auto a = std::make_shared<coverage_arguments>();
  CLI::App* verb = cache.add_subcommand("coverage",
                                        "Tells which kernels of recorded requests would be found, and for the others "
                                        "what differs from the nearest entry. "
                                        "Ends with 8 when one is missing");
  a->add_to(verb, "recorded");
  verb->add_flag("--any-compiler", a->any_compiler, "As on a host without a compiler: whoever built a kernel will do");
  verb->callback([a, exit] { *exit = run(*a); });
}

}  // namespace rowsmith::cli
