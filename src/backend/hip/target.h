// target: an AMD or Hygon architecture by name, and what follows from its number alone.
#pragma once

#include <string>
#include <string_view>

#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith::hip {

// "gfx906" of "gfx906:sramecc+:xnack-": code compiled without a feature setting runs under any.
std::string_view without_features(std::string_view name);

// 9 of "gfx906" and "gfx90a", 10 of "gfx1030"; 0 for anything that is no architecture.
int generation(std::string_view arch);

// The traits of "gfxNNN[:features]". The target is passed on to the compiler as it is: new names need no change here.
result<traits> traits_of(std::string_view name);

}  // namespace rowsmith::hip
