// rowsmith doctor: every option with its origin, every library tried, the cache, and what could deceive a measurement.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/layers.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "rowsmith/runtime.h"

namespace rowsmith::cli {

namespace {

json as_object(const doctor_report& r) {
  json options = json::array(), libraries = json::array();
  for (const option_report& o : r.options) {
    options.push_back({{"name", o.name}, {"value", o.value}, {"origin", o.origin}, {"meaning", o.meaning}});
  }
  for (const library_report& l : r.libraries) {
    libraries.push_back({{"backend", l.backend},
                         {"purpose", l.purpose},
                         {"found", l.found.empty() ? json() : json(l.found)},
                         {"version", l.version},
                         {"tried", l.tried}});
  }
  return {{"version", std::string(version())},       {"options", options},         {"libraries", libraries},
          {"cache", layers_as_json(cache_layers())}, {"complaints", r.complaints}, {"lower_caches", r.lower_caches}};
}

std::string lines(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& line : list) text += indented(line, 2);
  return text;
}

std::string as_text(const doctor_report& r) {
  std::string text = "rowsmith " + std::string(version()) + "\n";

  std::vector<std::vector<std::string>> rows;
  for (const option_report& o : r.options) {
    rows.push_back({o.name, o.value.empty() ? "-" : o.value, o.origin, o.meaning});
  }
  text += "\nOptions\n" + indented(table({"NAME", "VALUE", "ORIGIN", "MEANING"}, rows), 2);

  text += "\nLibraries\n";
  for (const library_report& l : r.libraries) {
    text += "  " + l.backend + " " + l.purpose + ": ";
    text += l.found.empty() ? "not found" : l.found + (l.version.empty() ? "" : " (" + l.version + ")");
    text += "\n";
    for (const std::string& line : l.tried) text += indented("tried " + line, 4);
  }

  text += "\nCache\n" + indented(layers_as_text(cache_layers()), 2);

  if (!r.lower_caches.empty()) text += "\nCaches beneath ours\n" + lines(r.lower_caches);
  if (!r.complaints.empty()) text += "\nComplaints\n" + lines(r.complaints);
  return text;
}

}  // namespace

void add_doctor(CLI::App& app, int* exit) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand(
      "doctor", "Reports options, libraries and cache; ends with 3 when an option has an illegal value");
  verb->add_flag("--json", *as_json, "Print one JSON object");
  verb->callback([as_json, exit] {
    const doctor_report r = doctor();
    if (*as_json) {
      print_json(as_object(r));
    } else {
      print_text(as_text(r));
    }
    if (!r.complaints.empty()) *exit = exit_invalid_argument;
  });
}

}  // namespace rowsmith::cli
