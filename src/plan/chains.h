// chains: how rows are added to the rows of a table that an index names, always in the same order.
#pragma once

#include "model/facts.h"
#include "model/plan.h"
#include "model/traits.h"

namespace rowsmith {

// Rows of the table that a host thread adds up, for one look at all indices.
constexpr int chained_rows_a_task = 16384;

// REQUIRES: an op whose work goes by the table's rows.
plan plan_chains(const shape_class& c, const traits& t);

}  // namespace rowsmith
