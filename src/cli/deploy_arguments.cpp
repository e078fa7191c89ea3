#include "cli/deploy_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace rowsmith::cli {

void deploy_arguments::add_to(CLI::App* verb, const char* default_alignments) {
  alignments = default_alignments;
  verb->add_option("MANIFEST", manifest, "A file that ROWSMITH_RECORD wrote")->required();
  verb->add_option("--target", targets, "sm_90, gfx936, host, ...; may be given again")->required();
  verb->add_option("--cache-dir", cache_dir, "An absolute path; the user's own cache when not given");
  verb->add_option("--alignments", alignments,
                   "Of the recorded calls (recorded), also the usual ones of other calls (usual), or whatever may come "
                   "(every)")
      ->capture_default_str();
  verb->add_flag("--json", as_json, "Print one JSON object");
}

result<alignments> parse_alignments(const std::string& text) {
  if (text == "recorded") return alignments::recorded;
  if (text == "usual") return alignments::usual;
  if (text == "every") return alignments::every;
  return status(code::invalid_argument,
                fmt::format("--alignments: found \"{}\", recorded, usual and every are allowed", text));
}

json refused_as_json(const std::vector<refused_line>& lines) {
  json all = json::array();
  for (const refused_line& l : lines) all.push_back({{"line", l.line}, {"why", l.why}});
  return all;
}

std::string refused_as_text(const std::vector<refused_line>& lines) {
  std::string text;
  for (const refused_line& l : lines) text += fmt::format("line {} is refused: {}\n", l.line, l.why);
  return text;
}

}  // namespace rowsmith::cli
