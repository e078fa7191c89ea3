#include "opcode.h"

#include <unordered_map>

namespace rowsmith::gcn {

const opcode_rows& all_opcodes() {
  static const opcode_rows rows = [] {
    opcode_rows made;
    for (auto add : {add_scalar_opcodes,
                     add_scalar_compare_opcodes,
                     add_control_opcodes,
                     add_scalar_memory_opcodes,
                     add_integer_opcodes,
                     add_bit_opcodes,
                     add_wide_integer_opcodes,
                     add_short_opcodes,
                     add_float_opcodes,
                     add_half_opcodes,
                     add_double_opcodes,
                     add_division_opcodes,
                     add_transcendental_opcodes,
                     add_conversion_opcodes,
                     add_compare_opcodes,
                     add_packed_opcodes,
                     add_mixed_opcodes,
                     add_lane_opcodes,
                     add_lds_opcodes,
                     add_global_opcodes,
                     add_scratch_opcodes}) {
      add(made);
    }
    for (opcode& row : made) {
      if (row.name.starts_with("s_") && row.name.ends_with("_b64")) row.number = literal::b64;
    }
    return made;
  }();
  return rows;
}

const opcode* find_opcode(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const opcode*> map;
    for (const opcode& row : all_opcodes()) map.emplace(row.name, &row);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace rowsmith::gcn
