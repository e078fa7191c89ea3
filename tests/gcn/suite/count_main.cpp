// rowsmith_gcn_count TARGET ROWS WIDTH DTYPE OUT_DTYPE EXP: builds the softmax kernel of a call for a gfx9 target with
// the real compiler, runs it on the simulated card, and prints what its waves execute. `rowsmith explain --count` runs
// it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "gcn/suite/double.h"
#include "gcn/suite/instruction_count.h"

int main(int argc, char** argv) {
  using namespace rowsmith;
  constexpr int usage = 2;
  if (argc != 7) return std::fprintf(stderr, "usage: %s TARGET ROWS WIDTH DTYPE OUT_DTYPE EXP\n", argv[0]), usage;
  const std::string target = argv[1], exp = argv[6];
  const std::int64_t rows = std::atoll(argv[2]), width = std::atoll(argv[3]);
  dtype in, out;
  if (rows <= 0 || width <= 0 || !parse(argv[4], &in) || !parse(argv[5], &out)) return usage;
  softmax_options options;
  if (exp != "by_output") options.exp(exp == "fast" ? exp_mode::fast : exp_mode::accurate);

  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  ::setenv("HIPSIM_ARCH", target.substr(0, target.find(':')).c_str(), 1);
  test::use_double((beside / "hipsim").c_str(), "");
  const auto counted = test::count_softmax(rows, width, in, out, options);
  if (!counted) {
    std::fprintf(stderr, "%s\n%s\n", counted.status().to_string().c_str(), counted.status().detail().c_str());
    return 1;
  }
  std::printf("%s, %lld rows, %llu waves, %s\n", counted->strategy.c_str(), static_cast<long long>(counted->rows),
              static_cast<unsigned long long>(counted->waves), counted->text().c_str());
  return 0;
}
