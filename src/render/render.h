// render: a launch of a plan becomes a translation unit. Adds nothing of its own: names the headers, types the operands
// and instantiates the row driver with the plan's constants.
#pragma once

#include "model/facts.h"
#include "model/plan.h"
#include "model/source.h"
#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith {

// All that a cache key is made of, and no text yet: gathering that is most of rendering, and a kernel that is found
// needs none.
result<source> outline(const launch_plan& l, const shape_class& c, const traits& t);

// Its text as well. internal when a kernel source is not embedded in this build.
status complete(source* s);

// Both.
result<source> render(const launch_plan& l, const shape_class& c, const traits& t);

// Hash of the whole embedded source set: a part of every cache key.
std::string_view source_set_hash() noexcept;

}  // namespace rowsmith
