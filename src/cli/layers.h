// layers: the layers of the cache, as doctor and `cache stats` show them.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "rowsmith/deploy.h"

namespace rowsmith::cli {

using layers = std::vector<cache_layer_details>;

// Of this process's cache, or one directory.
result<layers> layers_of(const std::string& cache_dir);

json layers_as_json(const layers& all);
std::string layers_as_text(const layers& all);

// "user: why it takes no part", of those that are off.
std::vector<std::string> off(const layers& all);

// What stands where entries would, when there are none.
std::string nothing_there(const std::vector<std::string>& layers_off);

// A line for every layer that is off; none where all take part.
std::string off_as_text(const std::vector<std::string>& layers_off);

}  // namespace rowsmith::cli
