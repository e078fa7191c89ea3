// layout: where the operands of a kernel lie: extents, order of axes, strides (negative, 0, with gaps), bases off a
// 16-byte boundary. One layout is one class of shapes, whatever the extent of its growing axis: one kernel to compile.
#pragma once

#include <vector>

#include "property/kernel.h"
#include "property/space.h"

namespace rowsmith::test {

struct operand_layout {
  std::vector<int> axes;  // what the own axes stand for, see space.h
  dims stride;
  int phase = 0;  // elements off a 16-byte boundary
};

struct layout {
  space over;        // extents but for the growing one
  int growing = -1;  // the axis whose extent each draw takes from `least` to `most`; -1: none
  std::int64_t least = 1, most = 1;
  int axis = -1;                     // of the call
  std::int64_t most_table_rows = 1;  // what the strides of tables have room for
  std::vector<operand_layout> operands;
};

layout draw_layout(const kernel& k, dice& d);

}  // namespace rowsmith::test
