// softmax_kernel: one softmax of the library, compiled by hipRTC for a target and run by the interpreter, every element
// and row sum against float64. Goes through the rooms alone: inspect, make_plan, render, compile. No HIP runtime.
#pragma once

#include <string>

#include "machine.h"
#include "support/softmax_cases.h"

namespace rowsmith::gcn::test {

struct kernel_run {
  rowsmith::test::softmax_case of;
  std::string arch = "gfx906";
  bool perturb = false;
  std::uint64_t seed = 0;
  int threads = 2;
  int units = 3;     // compute units that the grid is cut for: few, so that blocks go round more than once
  float spread = 3;  // of the inputs
};

// Null where no compiler is at hand.
struct kernel_outcome {
  bool skipped = false;
  std::string failure;  // empty: all within the contract's bounds
  counts executed;
  std::string plan;
};
kernel_outcome run_softmax(const kernel_run& r);

}  // namespace rowsmith::gcn::test
