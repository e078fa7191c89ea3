// subprocess: runs a program by argv, no shell, and gathers what it prints.
#pragma once

#include <string>
#include <vector>

#include "rowsmith/status.h"

namespace rowsmith {

struct subprocess_result {
  int exit_status = -1;  // 128 + n when ended by signal n
  std::string output;    // stdout and stderr together
};

// Runs argv[0] (searched in PATH) with `input` on its standard input. not_found when it does not exist, io_error when
// the system refuses. `environment` lines ("NAME=value") are added to this process's own.
result<subprocess_result> run(const std::vector<std::string>& argv, const std::string& input = {},
                              const std::vector<std::string>& environment = {});

}  // namespace rowsmith
