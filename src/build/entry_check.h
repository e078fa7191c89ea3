// entry_check: is an entry's payload machine code for what its key says? Run on whatever comes from a disk or bundle.
#pragma once

#include <string_view>

#include "backend/backend.h"
#include "cache/entry.h"
#include "rowsmith/status.h"

namespace rowsmith {

// The value of a what-field; empty when the key has none of that name.
std::string_view what_of(const cache::key& k, std::string_view name) noexcept;

// Backend and traits that an entry's key names.
struct entry_target {
  backend* vendor;
  rowsmith::traits traits;
};
result<entry_target> target_of(const cache::key& k);

status check_entry(const cache::entry& e);

}  // namespace rowsmith
