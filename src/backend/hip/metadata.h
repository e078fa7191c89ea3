// metadata: the numbers that AMD's compiler notes beside each kernel, read by comgr.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith::hip {

struct kernel_numbers {
  int registers = -1;  // vector registers; -1: not noted
  int spills = -1;     // vector and scalar registers together
  int wavefront_size = -1;
};

result<kernel_numbers> read_metadata(std::span<const std::byte> image, std::string_view entry);

}  // namespace rowsmith::hip
