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

struct look_options {
  std::string cache_dir;
  bool as_json = false;
};

int list(const look_options& a) {
  const result<layers> all = layers_of(a.cache_dir);
  if (!all) return fail(all.status());
  const result<std::vector<cache_entry_description>> found =
      a.cache_dir.empty() ? cache_entries(false) : cache_entries(false, a.cache_dir);
  if (!found) return fail(found.status());
  json entries = json::array();
  std::string text;
  for (const cache_entry_description& e : *found) {
    entries.push_back({{"digest", e.digest}, {"bytes", e.bytes}, {"key", e.key}});
    text += e.digest + "  " + human_bytes(e.bytes) + "\n" + indented(e.key, 4);
  }
  const std::vector<std::string> why = off(*all);
  if (a.as_json) {
    print_json({{"entries", entries}, {"layers_off", why}});
  } else {
    print_text((text.empty() ? nothing_there(why) + "\n" : text) + off_as_text(why));
  }
  return exit_ok;
}

int stats(const look_options& a) {
  const result<layers> all = layers_of(a.cache_dir);
  if (!all) return fail(all.status());
  if (a.as_json) {
    print_json({{"layers", layers_as_json(*all)}});
  } else {
    print_text(layers_as_text(*all));
  }
  return exit_ok;
}

}  // namespace

void add_cache(CLI::App& app, int* exit) {
  auto a = std::make_shared<look_options>();
  CLI::App* cache = app.add_subcommand("cache", "Looks into the cache of built kernels");
  cache->require_subcommand(1);
  const auto add = [&](const char* name, const char* meaning, auto run) {
    CLI::App* verb = cache->add_subcommand(name, meaning);
    verb->add_flag("--json", a->as_json, "Print one JSON object");
    verb->add_option("--cache-dir", a->cache_dir, "An absolute path; all layers of the cache when not given");
    verb->callback([a, exit, run] { *exit = run(*a); });
  };
  add("list", "Lists the entries with their keys", list);
  add("stats", "Counts entries and bytes of every layer", stats);
  add_cache_coverage(*cache, exit);
  add_cache_bundles(*cache, exit);
  add_cache_care(*cache, exit);
}

}  // namespace rowsmith::cli
