// Every op on every mechanism, in shapes as small as show it: what the simulated AMD cards run whole, and what mutants
// of the kernels are tried on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rowsmith::test {

struct mechanism_case {
  std::string name;                  // "softmax_lanes"
  void (*run)();                     // failures are test failures
  std::vector<std::string> kernels;  // that it runs on AMD targets
};

std::vector<mechanism_case> softmax_mechanisms();
std::vector<mechanism_case> gradient_mechanisms();
std::vector<mechanism_case> norm_mechanisms();
std::vector<mechanism_case> row_mechanisms();
std::vector<mechanism_case> element_mechanisms();
std::vector<mechanism_case> fused_mechanisms();
std::vector<mechanism_case> width_mechanisms();

std::vector<mechanism_case> all_mechanisms();

// A card's plans for few and long rows share them out among blocks: not where rows must not depend on their number. So
// the streamed cases ask for that there, and are streamed everywhere.
bool on_a_card();

// So many rows that every block of a real card takes several turns; on the others as few as are given.
std::int64_t rows_for(std::int64_t few, std::int64_t many);

}  // namespace rowsmith::test
