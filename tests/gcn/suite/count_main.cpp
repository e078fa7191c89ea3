// rowsmith_gcn_count TARGET OP --shape ...: builds the kernels of a call for a gfx9 target with the real compiler, runs
// them on the simulated card, and prints what their waves execute. The words are those of `rowsmith explain`, which
// runs it for --count.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "gcn/suite/double.h"
#include "gcn/suite/instruction_count.h"

int main(int argc, char** argv) {
  using namespace rowsmith;
  constexpr int usage = 2;
  CLI::App app("Counts what the waves of a call execute on a simulated gfx9 card.", "rowsmith_gcn_count");
  std::string target;
  cli::op_words words;
  app.add_option("TARGET", target, "gfx900, gfx906, gfx908 or gfx90a")->required();
  cli::add_op_words(&app, &words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : usage;
  }
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  ::setenv("HIPSIM_ARCH", target.substr(0, target.find(':')).c_str(), 1);
  test::use_double((beside / "hipsim").c_str(), "");
  const auto counted = test::count_call(words);
  if (!counted) {
    std::fprintf(stderr, "%s\n%s\n", counted.status().to_string().c_str(), counted.status().detail().c_str());
    return 1;
  }
  std::printf("%s\n", counted->text().c_str());
  return 0;
}
