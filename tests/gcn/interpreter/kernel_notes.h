// kernel_notes: what the compiler noted beside each kernel: registers, arguments, how many threads a block may have.
#pragma once

#include <map>
#include <span>
#include <string>

#include "machine.h"

namespace rowsmith::gcn {

// By kernel name. The facts that the notes do not hold are left as they begin. Empty where there are no notes.
std::map<std::string, kernel_facts> read_kernel_notes(std::span<const std::byte> code_object);

}  // namespace rowsmith::gcn
