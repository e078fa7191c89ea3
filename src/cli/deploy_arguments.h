// deploy_arguments: what `warm` and `cache coverage` share.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "rowsmith/deploy.h"

namespace CLI {
class App;
}

namespace rowsmith::cli {

struct deploy_arguments {
  std::string manifest, cache_dir, alignments;
  std::vector<std::string> targets;
  bool as_json = false;

  // `alignments`: the default.
  void add_to(CLI::App* verb, const char* default_alignments);
};

// recorded, usual or every.
result<alignments> parse_alignments(const std::string& text);

json refused_as_json(const std::vector<refused_line>& lines);
std::string refused_as_text(const std::vector<refused_line>& lines);

}  // namespace rowsmith::cli
