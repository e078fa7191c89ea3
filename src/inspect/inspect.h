// inspect: a request becomes facts, or a status that names what is wrong with it. Pure: looks at views, never at the
// memory behind them. The first step of the hot path: on success it neither allocates nor touches anything shared.
#pragma once

#include "model/facts.h"
#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

// Checks ranks, shapes, dtypes, devices, null data, element alignment and overlaps, then finds rows, width, strides,
// alignment, phase and aliasing. Zero elements are legal: rows or width is then 0, and strides mean nothing.
status inspect(const request& r, facts* f) noexcept;

// The same by the way that serves any strides, without the short one for dense calls: tests hold the two side by side.
status inspect_in_general(const request& r, facts* f) noexcept;

}  // namespace rowsmith
