// places: where the libraries of ROCm and of Hygon's DTK may lie.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace rowsmith::hip {

// `names` in ROWSMITH_HIP_LIBS, then what is already mapped into the process and named like one of them (two copies of
// one runtime in a process do not get along), then beside `neighbour`, by the system's loader, and in the folders of
// ROCM_PATH, HIP_PATH, /opt/dtk and /opt/rocm.
std::vector<std::string> library_candidates(std::span<const std::string> names, const std::string& neighbour);

// The names of the HIP runtime, AMD's newest first, then Hygon's.
const std::vector<std::string>& runtime_names();

}  // namespace rowsmith::hip
