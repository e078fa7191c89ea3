// gcn: counts the instructions of AMD machine code that a plan makes promises about, from comgr's disassembly.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith::hip {

struct gcn_census {
  int instructions = 0;  // up to the last end of program; padding left out
  int wide_loads = 0;    // global, 16 bytes
  int wide_stores = 0;
  int narrow_loads = 0;
  int narrow_stores = 0;
  int scratch_accesses = 0;
  int barriers = 0;
  int lane_moves = 0;  // instructions that read another lane by DPP

  // Adds one line of disassembly, "global_load_dwordx4 v[0:3], v0, s[0:1]".
  void add(std::string_view line);
};

// `text` is the code of one kernel, `isa` its target, "amdgcn-amd-amdhsa--gfx906".
result<gcn_census> count_gcn(std::span<const std::byte> text, const std::string& isa);

}  // namespace rowsmith::hip
