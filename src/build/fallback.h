// fallback: the scalar kernels that were built with the library, for every target its build's compilers knew.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "model/traits.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct embedded_binary {
  device_kind vendor;
  std::string_view target;  // "sm_90", "gfx906"; "compute_75" for PTX, which any newer card's driver can finish
  std::string_view entry;   // the kernel's symbol
  std::span<const std::byte> code;
};

// All of them, in the order of the build.
std::span<const embedded_binary> embedded_fallbacks() noexcept;

// The code of `entry` for a target: its own machine code, else machine code of the same generation (sm_86 runs
// sm_80's), else PTX. Nothing when the build had no compiler for it. The host's fallback is compiled in and needs no
// code.
std::optional<std::span<const std::byte>> find_fallback(const traits& t, std::string_view entry) noexcept;

}  // namespace rowsmith
