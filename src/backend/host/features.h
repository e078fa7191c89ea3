// features: which of a CPU's instruction sets the kernels use, as a canonical target name and as compiler flags.
//
// Only sets that kernel_src/machine/host.h asks about are named, so that two CPUs that run the same kernel share its
// cache key: "x86-64", "x86-64:avx2+f16c+fma", "x86-64:avx2+f16c+fma+avx512f+avx512bw+avx512vl", "aarch64".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith::host {

// The target of the CPU this process runs on, as the operating system lets it be used.
std::string native_target();

// Traits of a target by name: "host" for this CPU, or a base with features in any order. invalid_argument names the
// feature that is not known.
result<traits> target_traits(std::string_view target);

// "-mavx2 -mf16c …" for a canonical target. Never `native`.
std::vector<std::string> feature_flags(const traits& target);

// Does this CPU have every feature of the target?
bool runs_here(const traits& target);

// The CPU's own name for itself; "" where it does not tell.
std::string cpu_name();

}  // namespace rowsmith::host
