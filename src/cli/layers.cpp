#include "cli/layers.h"

#include <fmt/format.h>

namespace rowsmith::cli {

result<layers> layers_of(const std::string& cache_dir) {
  if (cache_dir.empty()) return cache_layers();
  result<cache_layer_details> one = cache_layer(cache_dir);
  if (!one) return one.status();
  return layers{std::move(*one)};
}

json layers_as_json(const layers& all) {
  json list = json::array();
  for (const cache_layer_details& d : all) {
    json o = {{"name", d.name},       {"location", d.location}, {"state", d.state}, {"problem", d.problem},
              {"accepts", d.accepts}, {"entries", d.entries},   {"bytes", d.bytes}, {"owner", d.owner}};
    o["mode"] = d.owner.empty() ? json() : json(fmt::format("{:04o}", d.mode));
    o["set_aside"] = d.set_aside;
    o["set_aside_bytes"] = d.set_aside_bytes;
    list.push_back(std::move(o));
  }
  return list;
}

std::string layers_as_text(const layers& all) {
  std::vector<std::vector<std::string>> rows;
  std::string notes;
  for (const cache_layer_details& d : all) {
    const bool there = !d.owner.empty();
    rows.push_back({d.name, d.state, std::to_string(d.entries), human_bytes(d.bytes), there ? d.owner : "-",
                    there ? fmt::format("{:04o}", d.mode) : "-", d.accepts.empty() ? "-" : d.accepts,
                    d.location.empty() ? "-" : d.location});
    if (!d.problem.empty()) notes += d.name + ": " + d.problem + "\n";
    if (d.set_aside != 0) {
      notes += fmt::format("{}: {} damaged files set aside, {}; prune and clear take them first\n", d.name, d.set_aside,
                           human_bytes(d.set_aside_bytes));
    }
  }
  return table({"LAYER", "STATE", "ENTRIES", "SIZE", "OWNER", "MODE", "TAKES", "LOCATION"}, rows) + notes;
}

std::vector<std::string> off(const layers& all) {
  std::vector<std::string> lines;
  for (const cache_layer_details& d : all) {
    if (!d.problem.empty()) lines.push_back(d.name + ": " + d.problem);
  }
  return lines;
}

std::string nothing_there(const std::vector<std::string>& layers_off) {
  return layers_off.empty() ? "the cache is empty" : "no layer of the cache in use has an entry";
}

std::string off_as_text(const std::vector<std::string>& layers_off) {
  std::string text;
  for (const std::string& line : layers_off) text += "not in use is " + line + "\n";
  return text;
}

}  // namespace rowsmith::cli
