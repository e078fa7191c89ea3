// instruction_counter: what the kernels of a call execute on an AMD target, as the program rowsmith_gcn_count tells,
// which runs them on a simulated card. That program is built with the tests; it is looked for beside this one.
#pragma once

#include <string>

#include "cli/op_words.h"
#include "rowsmith/status.h"

namespace rowsmith::cli {

// A line for each kernel: "rs_softmax_lanes: 256 rows, 256 waves, 174.0 a wave: 24.0 salu, …".
result<std::string> count_instructions(const std::string& target, const op_words& call);

}  // namespace rowsmith::cli
