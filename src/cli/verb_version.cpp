// rowsmith version
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/output.h"
#include "cli/verbs.h"
#include "rowsmith/runtime.h"

namespace rowsmith::cli {

void add_version(CLI::App& app, int*) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("version", "Prints the library's version");
  verb->add_flag("--json", *as_json, "Print one JSON object");
  verb->callback([as_json] {
    const std::string text(version());
    if (*as_json) return print_json({{"version", text}});
    print_text("rowsmith " + text + "\n");
  });
}

}  // namespace rowsmith::cli
