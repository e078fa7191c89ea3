// opcode: the one table of what the interpreter can do. Each group of opcodes has a file opcodes_….cpp that adds its
// rows; adding an instruction is adding a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instruction.h"

namespace rowsmith::gcn {

// How a written-out number such as 1.0 becomes bits. b64: in a pair of scalar registers it is a double, too.
enum class literal : u8 { f32, f16, f64, b64 };

struct opcode {
  std::string name;  // without _e32, _e64, _dpp, _sdwa
  op_class kind;
  u8 results;  // how many operands, from the left, are written
  handler run;
  literal number = literal::f32;
  bool mixed = false;  // op_sel_hi is 0 where not written, and says which sources are halves
};

using opcode_rows = std::vector<opcode>;

void add_scalar_opcodes(opcode_rows& rows);
void add_scalar_compare_opcodes(opcode_rows& rows);
void add_control_opcodes(opcode_rows& rows);
void add_scalar_memory_opcodes(opcode_rows& rows);
void add_integer_opcodes(opcode_rows& rows);
void add_bit_opcodes(opcode_rows& rows);
void add_wide_integer_opcodes(opcode_rows& rows);
void add_short_opcodes(opcode_rows& rows);
void add_float_opcodes(opcode_rows& rows);
void add_half_opcodes(opcode_rows& rows);
void add_double_opcodes(opcode_rows& rows);
void add_division_opcodes(opcode_rows& rows);
void add_transcendental_opcodes(opcode_rows& rows);
void add_conversion_opcodes(opcode_rows& rows);
void add_compare_opcodes(opcode_rows& rows);
void add_packed_opcodes(opcode_rows& rows);
void add_mixed_opcodes(opcode_rows& rows);
void add_lane_opcodes(opcode_rows& rows);
void add_lds_opcodes(opcode_rows& rows);
void add_global_opcodes(opcode_rows& rows);
void add_scratch_opcodes(opcode_rows& rows);

// Null: not in the table.
const opcode* find_opcode(std::string_view name);

const opcode_rows& all_opcodes();

}  // namespace rowsmith::gcn
