// widths: rows whose width is a number of the call.
#pragma once

#include "plan/draft.h"

namespace rowsmith {

// Nothing is held, and packs follow 16-byte boundaries or are single elements.
plan any_width(draft& d);

}  // namespace rowsmith
