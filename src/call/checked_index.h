// checked_index: are the entries of an index rows of its table? Waits for the stream, and reads the index back.
#pragma once

#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

// invalid_argument names the first entry, in row-major order, that is neither -1 nor a row. REQUIRES: a request that
// inspect() took, whose operand `index` is one, for a table of `rows` rows.
status check_index(const request& r, int index, std::int64_t rows) noexcept;

}  // namespace rowsmith
