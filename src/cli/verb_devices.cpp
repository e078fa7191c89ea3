// rowsmith devices
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "rowsmith/runtime.h"

namespace rowsmith::cli {

namespace {

void show(bool as_json) {
  json list = json::array();
  std::vector<std::vector<std::string>> rows;
  for (const device_description& d : devices()) {
    const std::string name = to_string(d.device);
    list.push_back({{"device", name},
                    {"name", d.name},
                    {"arch", d.arch},
                    {"wave", d.wave},
                    {"units", d.units},
                    {"memory_bytes", d.memory_bytes},
                    {"l2_bytes", d.l2_bytes}});
    rows.push_back({name, d.arch, std::to_string(d.wave), std::to_string(d.units), human_bytes(d.memory_bytes),
                    human_bytes(d.l2_bytes), d.name});
  }
  if (as_json) return print_json({{"devices", list}});
  print_text(table({"DEVICE", "ARCH", "WAVE", "UNITS", "MEMORY", "L2", "NAME"}, rows));
}

}  // namespace

void add_devices(CLI::App& app, int*) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("devices", "Lists the devices that answer, the host first");
  verb->add_flag("--json", *as_json, "Print one JSON object");
  verb->callback([as_json] { show(*as_json); });
}

}  // namespace rowsmith::cli
