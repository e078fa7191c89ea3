// columns: rows that are neighbours in memory, their own elements a stride apart.
#pragma once

#include "model/facts.h"

namespace rowsmith {

// The geometry of a GPU block: Span neighbouring rows, each shared by `members` threads.
struct column_block {
  int span = 32;
  int members = 1;
  bool held = true;  // in registers; else the row is passed over twice

  int threads() const noexcept { return span * members; }
};

// `most_held`: elements of a row that a thread keeps in registers at most.
column_block column_block_of(std::int64_t width, int wave, int most_held) noexcept;

// Host: how many neighbouring rows go through the cache at once; 0: they do not fit there.
int turned_rows_of(const shape_class& c) noexcept;

}  // namespace rowsmith
