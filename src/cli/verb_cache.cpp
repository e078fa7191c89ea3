// rowsmith cache: list and stats; its other verbs have files of their own.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/layers.h"
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

void stats(bool as_json) {
  if (as_json) return print_json({{"layers", layers_as_json()}});
  print_text(layers_as_text());
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
  add("stats", "Counts entries and bytes of every layer", [as_json] { stats(*as_json); });
  add_cache_coverage(*cache, exit);
  add_cache_bundles(*cache, exit);
  add_cache_care(*cache, exit);
}

}  // namespace rowsmith::cli
