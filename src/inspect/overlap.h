// overlap: do two strided windows share an element's bytes?
#pragma once

#include "rowsmith/tensor_view.h"

namespace rowsmith {

// Do two different indices of `v` name the same bytes, or could they? Exact for layouts where each axis steps over
// everything that the faster ones cover; other layouts are taken to overlap.
bool overlaps_itself(const tensor_view& v) noexcept;

// Do `a` and `b` share bytes? Exact when the strides are equal and nested as above; otherwise two windows whose byte
// ranges meet are taken to overlap. REQUIRES: equal shapes, no zero extent.
bool overlap(const tensor_view& a, const tensor_view& b) noexcept;

// Do the byte ranges of two windows of any shapes meet? REQUIRES: no zero extent.
bool ranges_overlap(const tensor_view& a, const tensor_view& b) noexcept;

}  // namespace rowsmith
