// elementwise_text: the op functor of an expression, as row drivers of single elements call it.
#pragma once

#include <string>

#include "model/facts.h"
#include "rowsmith/status.h"

namespace rowsmith {

// The expression's functors and, on top of them, `struct elementwise`: see kernel_src/op/elementwise.h. Nothing for
// other ops. not_found where this process has not interned the expression of the class.
result<std::string> elementwise_text(const shape_class& c);

}  // namespace rowsmith
