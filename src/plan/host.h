// plan_for_host: a thread owns a row, vector packs walk it.
#pragma once

#include "model/facts.h"
#include "model/plan.h"
#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith {

result<plan> plan_for_host(const shape_class& c, const traits& t);

}  // namespace rowsmith
