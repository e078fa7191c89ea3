// make_plan: facts and traits become a plan. Pure: the same facts and traits give the same plan on every machine, so
// that a builder without the card renders what the card will ask for.
#pragma once

#include "model/facts.h"
#include "model/plan.h"
#include "model/traits.h"
#include "rowsmith/status.h"

namespace rowsmith {

// A specialized plan. unsupported where no mechanism can hold the class; the scalar plan always can.
result<plan> make_plan(const shape_class& c, const traits& t);

// The scalar fallback: run-time width, dtypes and strides; one kernel an op for all shapes of a target. Expressions
// before and behind a row op are computed by launches of their own, with an fp32 tensor in the workspace between.
// REQUIRES: has_scalar_plan(c).
plan make_scalar_plan(const shape_class& c, const traits& t);

// False for expressions around an op whose fallback has another use for the workspace.
bool has_scalar_plan(const shape_class& c) noexcept;

}  // namespace rowsmith
