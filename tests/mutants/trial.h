// trial: in a process of its own, the cases of a mutant on one device.
#pragma once

#include <string>
#include <vector>

namespace rowsmith::mutants {

// Where trials are held: "host", "host_scalar", "cuda:0", or an AMD architecture, of which a card is simulated.
struct place {
  std::string name;
  unsigned on = 0;     // the bit of `where`
  std::string device;  // "host", "cuda:0", "hip:0"
};

// How a trial's process ends.
enum outcome : int { passed = 0, failed = 1, broken = 2, not_compiled = 3, nothing_ran = 4 };

// Runs `cases` (joined by colons; empty: all) with the mutant `name`, or with the kernels as they are where it is
// empty. Ends the process at the first failure.
int hold_trial(const std::string& name, const std::string& cases, const place& where,
               const std::string& scalar_library);

}  // namespace rowsmith::mutants
