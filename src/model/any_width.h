// any_width: classes of calls whose kernel learns the width of its rows at run time. All widths of a bucket share one.
#pragma once

#include <cstdint>

#include "model/facts.h"

namespace rowsmith {

// Widths up to here, and above the bucket before: few lanes a row, a wave, a block; on the host a row narrower than a
// vector among them, one whose scratch row fits a stack, and what is left.
constexpr std::int64_t width_buckets[] = {64, 1024, 16384, 0x7fff0000};

// Is there such a kernel for the class's width? Not for ops that reduce nothing (none of theirs knows a width), for no
// elements, for rows that 32 bits do not count.
bool has_bucket(const shape_class& c) noexcept;

// The class as the kernel of its width's bucket sees it: nothing that follows from the width is a fact of it.
// REQUIRES: has_bucket(c), or a class that is one already.
shape_class any_width_class(const shape_class& c) noexcept;

// What classes have in common that differ in the width alone, or in what follows from it.
shape_class width_family(const shape_class& c) noexcept;

}  // namespace rowsmith
