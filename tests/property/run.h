// run: the draws of this process: how many, of what, on which device, and what came of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "property/margin.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

struct property_run {
  std::uint64_t seed = 20261130;                        // the same in every build; --seed
  int kernels = 300;                                    // --kernels
  int draws = 12000;                                    // --draws
  int only_kernel = -1, only_draw = -1;                 // --only KERNEL:DRAW
  std::function<bool()> enough = [] { return false; };  // asked before every kernel: no more of them?

  // What came of them.
  margins nearest;
  std::uint64_t done = 0, by_fallback = 0, refused = 0, left_open = 0;

  // One option of the command line with its value; false: none of those above, or no value of it.
  bool take(std::string_view name, const char* value);

  int draws_of_a_kernel() const { return kernels > 0 ? (draws + kernels - 1) / kernels : 0; }
  void print() const;
};
property_run& the_run();

constexpr int slices = 4;  // tests that share the kernels, so that several processes may

// Kernel k with all its draws. False after a failure, which is a test failure that names the draw.
bool run_kernel(int k);

}  // namespace rowsmith::test
