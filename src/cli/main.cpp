// The `rowsmith` command. Each verb is a file of its own beside this one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "rowsmith/runtime.h"

namespace {

// What CLI11 wants: the last word first. "help cache list" is "cache list --help".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + std::max(argc, 1));
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rowsmith::cli;
  CLI::App app("Rowsmith: memory-bound kernels, built at run time for the shape at hand.", "rowsmith");
  app.require_subcommand(1);
  app.set_version_flag("--version", "rowsmith " + std::string(rowsmith::version()), "Print the version and end");
  app.footer(
      "With --json a verb prints one object to stdout: what it found, or {\"error\": ...}. Failures go to stderr "
      "too. `rowsmith help VERB` is `rowsmith VERB --help`.\n\n" +
      exit_help());

  // CLI11 alone would not say which word it stumbled over when the verb is wrong.
  std::string not_understood;
  app.failure_message([&](const CLI::App* a, const CLI::Error& e) {
    not_understood = e.what();
    for (const std::string& word : a->remaining(true)) not_understood += "\nnot understood: " + word;
    return "rowsmith: " + not_understood + "\nRun with --help for more information.\n";
  });

  int exit = exit_ok;
  add_verbs(app, &exit);
  if (std::find(argv, argv + argc, std::string_view("--json")) != argv + argc) promise_json();
  try {
    app.parse(words_of(argc, argv));
  } catch (const CLI::ParseError& e) {
    if (app.exit(e) == 0) return exit_ok;  // --help is one of these
    print_error("usage", not_understood);
    return exit_usage;
  } catch (const std::bad_alloc&) {
    return fail({rowsmith::code::out_of_memory, "the host has no memory left"});
  } catch (const std::exception& e) {
    return fail({rowsmith::code::internal, e.what()});
  }
  return exit;
}
