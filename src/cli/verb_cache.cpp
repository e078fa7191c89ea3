// rowsmith cache list | verify | stats
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/verbs.h"
#include "rowsmith/runtime.h"

namespace rowsmith::cli {

namespace {

void list(bool as_json) {
  json entries = json::array();
  std::string text;
  for (const cache_entry_description& e : cache_entries(false)) {
    entries.push_back({{"digest", e.digest}, {"bytes", e.bytes}, {"key", e.key}});
    text += e.digest + "  " + human_bytes(e.bytes) + "\n" + indented(e.key, 4);
  }
  if (as_json) return print_json({{"entries", entries}});
  print_text(text.empty() ? "The cache is empty.\n" : text);
}

// Shows the damaged ones and counts the others.
int verify(bool as_json) {
  json damaged = json::array();
  std::string text;
  const std::vector<cache_entry_description> all = cache_entries(true);
  for (const cache_entry_description& e : all) {
    if (e.problem.empty()) continue;
    damaged.push_back({{"digest", e.digest}, {"bytes", e.bytes}, {"problem", e.problem}});
    text += e.digest + "  " + e.problem + "\n";
  }
  if (as_json) {
    print_json({{"entries", all.size()}, {"damaged", damaged}});
  } else {
    print_text(text + std::to_string(all.size()) + " entries, " + std::to_string(damaged.size()) + " damaged\n");
  }
  return damaged.empty() ? exit_ok : exit_verify_failed;
}

void stats(bool as_json) {
  json layers = json::array();
  std::vector<std::vector<std::string>> rows;
  for (const cache_layer_report& c : doctor().cache) {
    layers.push_back(
        {{"name", c.name}, {"location", c.location}, {"state", c.state}, {"entries", c.entries}, {"bytes", c.bytes}});
    rows.push_back({c.name, c.state, std::to_string(c.entries), human_bytes(c.bytes), c.location});
  }
  if (as_json) return print_json({{"layers", layers}});
  print_text(table({"LAYER", "STATE", "ENTRIES", "SIZE", "LOCATION"}, rows));
}

}  // namespace

void add_cache(CLI::App& app, int* exit) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* cache = app.add_subcommand("cache", "Looks into the cache of built kernels");
  cache->require_subcommand(1);
  const auto add = [&](const char* name, const char* meaning, auto run) {
    CLI::App* verb = cache->add_subcommand(name, meaning);
    verb->add_flag("--json", *as_json, "Print one JSON object");
    verb->callback(run);
  };
  add("list", "Lists the entries with their keys", [as_json] { list(*as_json); });
  add("verify", "Reads every entry whole and checks it; ends with 7 when one is damaged",
      [as_json, exit] { *exit = verify(*as_json); });
  add("stats", "Counts entries and bytes of every layer", [as_json] { stats(*as_json); });
}

}  // namespace rowsmith::cli
