// The `rowsmith` command. Each verb is a file of its own beside this one.
#include <CLI/CLI.hpp>
#include <exception>
#include <new>

#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  using namespace rowsmith::cli;
  CLI::App app("Rowsmith: memory-bound kernels, built at run time for the shape at hand.", "rowsmith");
  app.require_subcommand(1);
  app.footer("With --json a verb prints one object to stdout. Failures go to stderr.\n\n" + exit_help());

  int exit = exit_ok;
  add_run(app, &exit);
  add_explain(app, &exit);
  add_devices(app, &exit);
  add_doctor(app, &exit);
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
