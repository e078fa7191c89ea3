// target: an NVIDIA architecture by name, and what follows from its number alone.
#pragma once

#include <optional>
#include <string_view>

#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith::cuda {

struct target {
  int number = 0;    // 90 of "sm_90a"
  char feature = 0;  // 'a' or 'f' of "sm_100f"; 0 without
  bool ptx = false;  // "compute_75": PTX for that and every later architecture, finished by the driver
};

// "sm_90", "sm_100a", "compute_75"; nothing for any other text.
std::optional<target> parse_target(std::string_view name);

// The traits of "sm_NN", sm_60 and later. Numbers nobody has seen yet get what the smallest of their relatives has.
result<traits> traits_of(std::string_view name);

}  // namespace rowsmith::cuda
