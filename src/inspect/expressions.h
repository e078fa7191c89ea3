// expressions: do the expressions of a class fit its operands? Looked at once a class, when it is new.
#pragma once

#include "model/facts.h"
#include "rowsmith/status.h"

namespace rowsmith {

status check_expressions(const shape_class& c);

}  // namespace rowsmith
