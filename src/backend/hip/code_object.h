// code_object: what AMD machine code says about itself. check() reads the ELF alone; report() asks comgr as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace rowsmith::hip {

struct kernel_descriptor {
  std::uint32_t shared_bytes = 0;   // static LDS
  std::uint32_t scratch_bytes = 0;  // per lane
  std::uint32_t kernarg_bytes = 0;  // of the argument block, hidden arguments included; 0 where not told
  std::string arch;                 // "gfx906"; empty where neither its flags nor its notes are known here
  std::span<const std::byte> text;
};

// corrupt: not a whole code object. not_found: no such kernel in it.
result<kernel_descriptor> read_code_object(std::span<const std::byte> image, std::string_view entry);

// The backend's check() and report().
status check_code(std::span<const std::byte> image, std::string_view arch, std::string_view entry);
result<code_report> report_code(std::span<const std::byte> image, std::string_view arch, std::string_view entry);

}  // namespace rowsmith::hip
