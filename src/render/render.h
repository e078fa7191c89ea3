// render: a launch of a plan becomes a translation unit. Adds nothing of its own: names the headers, types the operands
// and instantiates the row driver with the plan's constants.
#pragma once

#include "model/facts.h"
#include "model/plan.h"
#include "model/source.h"
#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith {

// All but the text, which is long: enough to find a kernel that is built.
result<source> instantiate(const launch_plan& l, const shape_class& c, const traits& t);

// Gathers the text of an instantiated source. internal when a kernel source is not embedded in this build.
status add_text(source* s);

// Both: ready for a compiler.
result<source> render(const launch_plan& l, const shape_class& c, const traits& t);

// Hash of the whole embedded source set: a part of every cache key.
std::string_view source_set_hash() noexcept;

}  // namespace rowsmith
