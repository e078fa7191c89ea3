// simd_any: simd.h for rows whose width is a number of the call, of at most Capacity elements where Keep asks for a
// scratch row. Narrow: there may be rows narrower than a pack.
#pragma once

#include "row/simd.h"

namespace rs {

template <int Capacity, bool Narrow, keep Keep, int RowsPerBlock = 1>
struct simd_any {
  template <class Args, class Op, class... O>
  static RS_MEMBER void run(const Args& args, i64 begin, i64 end, Op op, O... o) {
    constexpr int room = Keep == keep::values ? Capacity : pack_size;
    simd_rows<any_width<Narrow>, Keep, room, false, RowsPerBlock>::run(args, begin, end,
                                                                       any_width<Narrow>::of(args.width), op, o...);
  }
};

}  // namespace rs
