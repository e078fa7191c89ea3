// sass: counts the instructions of NVIDIA machine code that a plan makes promises about, without a disassembler.
#pragma once

#include <cstddef>
#include <span>

namespace rowsmith::cuda {

struct sass_census {
  int instructions = 0;  // no-operations left out
  int wide_loads = 0;    // global, 16 bytes or more
  int wide_stores = 0;
  int narrow_loads = 0;
  int narrow_stores = 0;
  int local_accesses = 0;
  int barriers = 0;
  int bulk_loads = 0;  // cp.async.bulk, global to shared memory
  int bulk_stores = 0;
};

// `text` is the code of one kernel, sm_70 and later: 16 bytes an instruction.
sass_census count_sass(std::span<const std::byte> text);

}  // namespace rowsmith::cuda
