// splitting: rows so long that blocks of their own take their parts; a second launch merges what they found.
#pragma once

#include "plan/columns.h"
#include "plan/draft.h"

namespace rowsmith {

// Is the class worth it, and the op one whose parts merge? Of rows whose elements follow each other, and of rows that
// are neighbours in memory.
bool can_split(const shape_class& c);
bool can_split_columns(const shape_class& c);

plan split(draft& d, int pack);
plan split_columns(draft& d, const column_block& b);

}  // namespace rowsmith
