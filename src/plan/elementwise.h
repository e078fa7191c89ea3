// plan_for_elements: ops that reduce nothing. Sizes are run-time numbers: one kernel serves all shapes of a layout.
#pragma once

#include "model/facts.h"
#include "model/plan.h"
#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith {

// REQUIRES: an op that reduces nothing.
result<plan> plan_for_elements(const shape_class& c, const traits& t);

}  // namespace rowsmith
