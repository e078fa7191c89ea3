// parser: from a line of the disassembler, "v_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf", to an instruction.
#pragma once

#include <string>
#include <string_view>

#include "instruction.h"

namespace rowsmith::gcn {

// Fills all but pc, size, word and target. Never fails: what is not understood becomes an instruction that ends the run
// with its text when it is reached.
instruction parse_instruction(std::string_view text);

// The lanes that a DPP control reads from, by its name and number: "row_shr" and 1, "row_mirror" and 0; for "quad_perm"
// the number is the eight bits of the control. Null: no such control.
std::shared_ptr<lane_moves> moves_of(std::string_view control, int number);

}  // namespace rowsmith::gcn
