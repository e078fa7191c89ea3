// elf: what can be said about a shared object from its bytes alone. Every offset and length is checked against the
// size first: the bytes come from a cache.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith::host {

// OK when `code` is a 64-bit little-endian shared object for `machine` (an EM_ value) whose dynamic symbol table
// defines the function `entry`. corrupt, with what was found, otherwise.
status check_shared_object(std::span<const std::byte> code, unsigned machine, std::string_view entry);

// The machine of a target by its canonical name; 0 when this page does not know it (then any is accepted).
unsigned machine_of(std::string_view arch);

}  // namespace rowsmith::host
