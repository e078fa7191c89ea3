// rowsmith explain OP: what a call would do, for any target, without a device and without running it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/instruction_counter.h"
#include "cli/layers.h"
#include "cli/op_setup.h"
#include "cli/output.h"
#include "cli/run_report.h"
#include "cli/verbs.h"
#include "rowsmith/deploy.h"
#include "rowsmith/explain.h"

namespace rowsmith::cli {

namespace {

struct explain_arguments {
  op_words call;
  std::string target = "host";
  bool count = false;
  std::string executed;  // what the counter told
  bool source = false, no_compile = false, why_miss = false, as_json = false;
};

// The figures that machine code tells, under the names that JSON and text share.
std::vector<std::pair<std::string, int>> figures(const launch_explanation& l) {
  return {{"registers", l.registers},       {"spills", l.spills},
          {"local_bytes", l.local_bytes},   {"shared_bytes", l.shared_bytes},
          {"wide_loads", l.wide_loads},     {"wide_stores", l.wide_stores},
          {"narrow_loads", l.narrow_loads}, {"narrow_stores", l.narrow_stores},
          {"barriers", l.barriers},         {"instructions", l.instructions}};
}

// One a launch, where asked for.
using misses = std::vector<miss_report>;

json as_object(const miss_report& m) {
  json differences = json::array();
  for (const key_difference& d : m.differences) {
    differences.push_back({{"field", d.field}, {"wanted", d.wanted}, {"nearest", d.nearest}});
  }
  return {{"found_in", m.layer.empty() ? json() : json(m.layer)},
          {"nearest", m.nearest.empty() ? json() : json(m.nearest)},
          {"nearest_layer", m.nearest_layer},
          {"differences", differences},
          {"layers_off", m.layers_off}};
}

std::string as_text(const miss_report& m) {
  if (!m.layer.empty()) return "would hit: " + m.layer + "\n";
  if (m.nearest.empty()) return "would miss: " + nothing_there(m.layers_off) + "\n" + off_as_text(m.layers_off);
  std::string text = fmt::format("would miss: the nearest entry is {}, in {}\n", m.nearest, m.nearest_layer);
  for (const key_difference& d : m.differences) {
    text += fmt::format("{}\n", d.field) + indented("- " + d.nearest, 2) + indented("+ " + d.wanted, 2);
  }
  return text + off_as_text(m.layers_off);
}

json as_object(const explain_arguments& a, const op_setup& s, const explanation& e, const misses& why) {
  json rejected = json::array(), launches = json::array();
  for (const auto& [what, why] : e.rejected) rejected.push_back({{"what", what}, {"why", why}});
  for (const launch_explanation& l : e.launches) {
    json o = {{"strategy", l.strategy},           {"entry", l.entry},      {"digest", l.digest}, {"key", l.key},
              {"instantiation", l.instantiation}, {"compiled", l.compiled}};
    if (!l.compile_error.empty()) o["compile_error"] = l.compile_error;
    if (l.compiled) o["compile_ms"] = l.compile_ms;
    for (const auto& [name, value] : figures(l)) o[name] = value < 0 ? json() : json(value);
    if (a.source) o["source"] = l.source;
    if (a.why_miss) o["why_miss"] = as_object(why[launches.size()]);
    launches.push_back(std::move(o));
  }
  json all = {{"op", s.op.name},
              {"shape", s.shape},
              {"dtype", name_of(s.in)},
              {"out_dtype", name_of(s.out)},
              {"axis", s.axis},
              {"operands", operands_of(s)},
              {"settings", settings_of(s)},
              {"target", e.target},
              {"facts", e.facts},
              {"plan", e.plan},
              {"why", e.why},
              {"rejected", rejected},
              {"workspace_bytes", e.workspace_bytes},
              {"launches", launches}};
  if (!a.executed.empty()) all["executed"] = a.executed;
  return all;
}

std::string launch_text(const launch_explanation& l, bool source) {
  std::string text = fmt::format("\nLaunch {} ({})\n", l.strategy, l.entry);
  std::vector<std::pair<std::string, std::string>> rows = {{"key", l.digest}};
  if (l.compiled) {
    rows.push_back({"compiled in", fmt::format("{:.1f} ms", l.compile_ms)});
    for (const auto& [name, value] : figures(l)) {
      if (value >= 0) rows.push_back({name, std::to_string(value)});
    }
  }
  text += indented(aligned(rows), 2);
  if (!l.compile_error.empty()) text += indented("not compiled: " + l.compile_error, 2);
  text += indented(source ? l.source : l.instantiation, 4);
  return text;
}

// The plan without its reasons, which get sections of their own.
std::string bare(const std::string& plan) {
  std::string text;
  for (std::size_t begin = 0; begin < plan.size();) {
    const std::size_t end = std::min(plan.find('\n', begin), plan.size());
    const std::string line = plan.substr(begin, end - begin);
    const std::string word = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (word.rfind("why: ", 0) != 0 && word.rfind("rejected ", 0) != 0) text += line + "\n";
    begin = end + 1;
  }
  return text;
}

std::string as_text(const explain_arguments& a, const op_setup& s, const explanation& e, const misses& why) {
  std::string text =
      fmt::format("{} {} {} -> {} for {}\n\n", s.op.name, to_string(s.shape), name_of(s.in), name_of(s.out), e.target);
  text += "Facts\n" + indented(e.facts, 2) + "\nPlan\n" + indented(bare(e.plan), 2);
  if (!e.why.empty()) text += "\nWhy\n";
  for (const std::string& line : e.why) text += indented(line, 2);
  if (!e.rejected.empty()) text += "\nRejected\n";
  for (const auto& [what, why] : e.rejected) text += indented(what + ": " + why, 2);
  if (e.workspace_bytes != 0) text += fmt::format("\nWorkspace {} bytes\n", e.workspace_bytes);
  for (std::size_t i = 0; i < e.launches.size(); ++i) {
    text += launch_text(e.launches[i], a.source);
    if (a.why_miss) text += "\n" + indented(as_text(why[i]), 2);
  }
  if (!a.executed.empty()) text += "\nExecuted on a simulated " + a.target + "\n" + indented(a.executed, 2);
  return text;
}

// Where a call for this target would have its tensors.
device device_of(const std::string& target) {
  if (target.rfind("sm_", 0) == 0) return {device_kind::cuda, 0};
  if (target.rfind("gfx", 0) == 0) return {device_kind::hip, 0};
  return {device_kind::host, 0};
}

// What can be said before anything is built.
status check_count(const explain_arguments& a) {
  if (!a.count) return {};
  const std::string arch = a.target.substr(0, a.target.find(':'));
  constexpr std::string_view counted[] = {"gfx900", "gfx906", "gfx908", "gfx90a"};
  if (std::find(std::begin(counted), std::end(counted), arch) != std::end(counted)) return {};
  return {code::unsupported,
          fmt::format("--count: counts are of gfx900, gfx906, gfx908 and gfx90a; the target is {}", a.target)};
}

int explain(explain_arguments a) {
  if (status s = check_count(a); !s) return fail(s);
  const auto s = setup_of(a.call);
  if (!s) return fail(s.status());
  explain_options how;
  how.target = a.target;
  how.compile = !a.no_compile && !a.why_miss;
  const std::vector<void*> nowhere(s->tensors.size(), nullptr);
  const auto e = call_of(*s, device_of(a.target), nowhere).explain(how);
  if (!e) return fail(e.status());
  misses why;
  bool hits = true;
  for (std::size_t i = 0; a.why_miss && i < e->launches.size(); ++i) {
    auto m = why_miss(e->launches[i].key);
    if (!m) return fail(m.status());
    hits = hits && !m->layer.empty();
    why.push_back(std::move(*m));
  }
  if (a.count) {
    auto counted = count_instructions(a.target, a.call);
    if (!counted) return fail(counted.status());
    a.executed = std::move(*counted);
  }
  if (a.as_json) {
    print_json(as_object(a, *s, *e, why));
  } else {
    print_text(as_text(a, *s, *e, why));
  }
  return hits ? exit_ok : exit_would_compile;
}

}  // namespace

void add_explain(CLI::App& app, int* exit) {
  auto a = std::make_shared<explain_arguments>();
  CLI::App* verb = app.add_subcommand(
      "explain",
      "Shows the plan of a call, why, what was rejected, and what the built kernel looks like. Needs no device; "
      "without a compiler for the target the figures are left out and the reason is told");
  add_op_words(verb, &a->call);
  verb->add_option("--target", a->target, "sm_90, gfx906, host, ...")->capture_default_str();
  verb->add_flag("--source", a->source, "Show the whole generated source");
  verb->add_flag("--no-compile", a->no_compile, "Plan and render only");
  verb->add_flag(
      "--why-miss", a->why_miss,
      "Tell whether the cache has the kernel and, if not, what differs from the nearest entry; ends with 8 then");
  verb->add_flag("--count", a->count,
                 "Run the kernels on a simulated gfx9 card and tell what their waves execute (with the tests built)");
  verb->add_flag("--json", a->as_json, "Print one JSON object");
  verb->callback([a, exit] { *exit = explain(*a); });
}

}  // namespace rowsmith::cli
