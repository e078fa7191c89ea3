// instruction_counter: what a kernel for an AMD target executes, as the program rowsmith_gcn_count tells, which runs it
// on a simulated card. That program is built with the tests; it is looked for beside this one.
#pragma once

#include <cstdint>
#include <string>

#include "rowsmith/status.h"

namespace rowsmith::cli {

struct call_to_count {
  std::string target, in, out, exp;  // as the command line has them
  std::int64_t rows = 0, width = 0;
};

// One line: "lanes, 256 rows, 256 waves, 174.0 a wave: 24.0 salu, …".
result<std::string> count_instructions(const call_to_count& c);

}  // namespace rowsmith::cli
