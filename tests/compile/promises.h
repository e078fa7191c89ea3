// promises: the kernels of calls through the real compilers, no GPU needed: they compile, and their machine code is
// what their plans promise. (What does not compile is answered by the fallback, and nobody would notice.)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/request.h"
#include "model/traits.h"
#include "rowsmith/explain.h"
#include "support/named_request.h"

namespace rowsmith::test {

struct target_name {
  device_kind vendor;
  const char* arch;
};

// The leaders of their vendors, and a relative of each.
inline constexpr target_name usual_targets[] = {{device_kind::cuda, "sm_80"},
                                                {device_kind::cuda, "sm_90"},
                                                {device_kind::hip, "gfx906"},
                                                {device_kind::hip, "gfx90a"}};

// How a test of a target is called.
inline constexpr auto arch_of = [](const auto& info) { return std::string(info.param.arch); };

// AMD's compilers keep scalar registers in lanes of vector registers, and count that as spilled: no memory is touched.
enum class scalar_spills { counted, allowed };

// Every call is planned and rendered for `target`, and compiled where compiles_all(). Else sm_90 compiles all of it,
// other targets of NVIDIA what they plan otherwise than sm_90 does, and every target the first and the last call of
// each kernel: the machine code of AMD's golden plans is gone over in tests/gcn.
void expect_promises_kept(std::span<const named_request> calls, const target_name& target,
                          scalar_spills spills = scalar_spills::counted);

// A launch was compiled and spills nothing to memory. Without a compiler the test is skipped.
void expect_no_local_memory(const launch_explanation& l, const target_name& target);

// Does this program compile every call for every target? (selection.cpp)
bool compiles_all() noexcept;

}  // namespace rowsmith::test
