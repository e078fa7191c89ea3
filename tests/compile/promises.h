// promises: the kernels of calls through the real compilers, no GPU needed: they compile, and their machine code is
// what their plans promise. (What does not compile is answered by the fallback, and nobody would notice.)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/request.h"
#include "model/traits.h"
#include "support/named_request.h"

namespace rowsmith::test {

struct target_name {
  device_kind vendor;
  const char* arch;
};

// AMD's compilers keep scalar registers in lanes of vector registers, and count that as spilled: no memory is touched.
enum class scalar_spills { counted, allowed };

// Every call is planned and rendered for `target`. sm_90 and gfx906 compile all of it. Other targets compile what they
// plan otherwise than that one of their vendor does, and the first and the last call of every kernel; all where
// compiles_all().
void expect_promises_kept(std::span<const named_request> calls, const target_name& target,
                          scalar_spills spills = scalar_spills::counted);

// Does this program compile every call for every target? (selection.cpp)
bool compiles_all() noexcept;

}  // namespace rowsmith::test
