// cubin: what NVIDIA machine code says about itself, read from the ELF alone. Every offset is checked.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backend/backend.h"

namespace rowsmith::cuda {

struct cubin_kernel {
  int registers = 0;
  int local_bytes = 0;      // per thread: local arrays and spills, which the format does not tell apart
  int shared_bytes = 0;     // static; without the 1 KiB that the system keeps from sm_90 on
  int parameter_bytes = 0;  // of the argument block
  std::span<const std::byte> text;
  int arch = 0;  // 90
};

// corrupt: not a whole cubin. not_found: no such kernel in it.
result<cubin_kernel> read_cubin(std::span<const std::byte> code, std::string_view entry);

// Is this PTX text? The second choice where the compiler does not know the architecture.
bool is_ptx(std::span<const std::byte> code) noexcept;

// The backend's check() and report(): cubin, or PTX for an older relative of the target.
status check_code(std::span<const std::byte> code, std::string_view arch, std::string_view entry);
result<code_report> report_code(std::span<const std::byte> code, std::string_view arch, std::string_view entry);

}  // namespace rowsmith::cuda
