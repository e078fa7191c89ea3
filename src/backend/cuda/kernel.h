// kernel: one loaded kernel on one CUDA device.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"

namespace rowsmith::cuda {

// Loads through the library interface of CUDA 12, or as a module in the primary context before. The function is fetched
// here and now, so that a later launch inside a graph capture loads nothing.
result<std::unique_ptr<loaded_kernel>> load_kernel(int index, std::span<const std::byte> code, const launch_plan& how);

// cuda:index's own stream? invalid_argument for one of another device. Null is always its own.
status check_stream(int index, stream on);

}  // namespace rowsmith::cuda
