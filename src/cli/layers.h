// layers: the layers of the cache, as doctor and `cache stats` show them.
#pragma once

#include <string>

#include "cli/output.h"

namespace rowsmith::cli {

json layers_as_json();
std::string layers_as_text();

}  // namespace rowsmith::cli
