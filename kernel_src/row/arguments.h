// The one argument block of every kernel. The host packs the same words in src/model/arguments.cpp.
#pragma once

namespace rs {

template <int Operands, int Outer>
struct row_args {
  struct operand {
    void* data;
    i64 type;           // frozen value of rowsmith::dtype; only the scalar fallback reads it
    i64 inner_stride;   // elements from one element of a row to the next
    i64 stride[Outer];  // elements along each outer axis, slowest first
  };
  i64 rows;
  i64 width;
  i64 blocks;  // of this launch: the grid, known without asking the machine
  u64 options;
  void* workspace;
  float param[4];
  i64 extent[Outer];
  operand op[Operands];
};

}  // namespace rs
