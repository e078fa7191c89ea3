// The `rowsmith` command. Each verb is a file of its own beside this one.
#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>

#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  using namespace rowsmith::cli;
  CLI::App app("Rowsmith: memory-bound kernels, built at run time for the shape at hand.", "rowsmith");
  app.require_subcommand(1);
  app.footer("With --json a verb prints one object to stdout. Failures go to stderr.\n\n" + exit_help());

  // CLI11 alone would not say which word it stumbled over when the verb is wrong.
  app.failure_message([](const CLI::App* a, const CLI::Error& e) {
    std::string text = "rowsmith: " + std::string(e.what()) + "\n";
    for (const std::string& word : a->remaining(true)) text += "not understood: " + word + "\n";
    return text + "Run with --help for more information.\n";
  });

  int exit = exit_ok;
  add_run(app, &exit);
  add_explain(app, &exit);
  add_devices(app, &exit);
  add_doctor(app, &exit);
  add_warm(app, &exit);
  add_cache(app, &exit);
  add_version(app, &exit);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? exit_ok : exit_usage;  // --help is one of these
  } catch (const std::bad_alloc&) {
    return fail({rowsmith::code::out_of_memory, "the host has no memory left"});
  } catch (const std::exception& e) {
    return fail({rowsmith::code::internal, e.what()});
  }
  return exit;
}
