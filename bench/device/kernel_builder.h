// kernel_builder: a kernel of the benchmark's own, from text to a launch.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace rowsmith::bench {

constexpr int own_threads = 256;  // of a block

// Machine code for a target by its name; no device is needed.
result<binary> compile_own(const std::string& entry, std::string text, const traits& target);

// Loaded on device 0 of CUDA.
result<std::unique_ptr<loaded_kernel>> build_own(const std::string& entry, std::string text);

}  // namespace rowsmith::bench
