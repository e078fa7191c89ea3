// kernel: one loaded kernel on one HIP device.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"

namespace rowsmith::hip {

// The kernel keeps a copy of the code: HIP goes on reading the image it was given.
result<std::unique_ptr<loaded_kernel>> load_kernel(int index, std::span<const std::byte> code, const launch_plan& how);

// hip:index's own stream? invalid_argument for one of another device, where this runtime can tell (5.5 and later).
status check_stream(int index, stream on);

}  // namespace rowsmith::hip
