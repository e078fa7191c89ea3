// op_tensors: the operands of a call, as words say them and as its op's description completes them.
#pragma once

#include <string_view>

#include "cli/op_setup.h"

namespace rowsmith::cli {

bool allows(const op_info::operand& o, dtype t);

// The k of ink and outk; 0 for other roles.
int place_of(std::string_view prefix, std::string_view role);

// Fills in s->tensors and s->table_rows from the words and from all else of `s`; throws a refusal (words.h).
void make_tensors(const op_words& w, op_setup* s);

}  // namespace rowsmith::cli
