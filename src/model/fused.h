// fused: an expression before or behind a row op, which the op itself does not know of.
#pragma once

#include "model/facts.h"
#include "model/op_table.h"

namespace rowsmith {

// False for ops that are nothing but their expression.
inline bool is_fused(const shape_class& c) noexcept {
  return describe(c.op).along != reduces::nothing && (c.pre || c.post);
}

}  // namespace rowsmith
