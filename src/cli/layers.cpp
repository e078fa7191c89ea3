#include "cli/layers.h"

#include <fmt/format.h>

#include "rowsmith/deploy.h"

namespace rowsmith::cli {

json layers_as_json() {
  json layers = json::array();
  for (const cache_layer_details& d : cache_layers()) {
    json o = {{"name", d.name},       {"location", d.location}, {"state", d.state}, {"problem", d.problem},
              {"accepts", d.accepts}, {"entries", d.entries},   {"bytes", d.bytes}, {"owner", d.owner}};
    o["mode"] = d.owner.empty() ? json() : json(fmt::format("{:04o}", d.mode));
    layers.push_back(std::move(o));
  }
  return layers;
}

std::string layers_as_text() {
  std::vector<std::vector<std::string>> rows;
  std::string problems;
  for (const cache_layer_details& d : cache_layers()) {
    const bool there = !d.owner.empty();
    rows.push_back({d.name, d.problem.empty() ? d.state : "off", std::to_string(d.entries), human_bytes(d.bytes),
                    there ? d.owner : "-", there ? fmt::format("{:04o}", d.mode) : "-", d.accepts, d.location});
    if (!d.problem.empty()) problems += d.name + ": " + d.problem + "\n";
  }
  return table({"LAYER", "STATE", "ENTRIES", "SIZE", "OWNER", "MODE", "TAKES", "LOCATION"}, rows) + problems;
}

}  // namespace rowsmith::cli
