// plan_for_gpu: which row mechanism of the wave model serves a class of shapes, and with what geometry.
#pragma once

#include "model/facts.h"
#include "model/plan.h"
#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith {

result<plan> plan_for_gpu(const shape_class& c, const traits& t);

}  // namespace rowsmith
