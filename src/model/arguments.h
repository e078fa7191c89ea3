// arguments: the one argument block that every kernel takes, by value (GPU) or by pointer (host).
//
// kernel_src/row/arguments.h declares the same words as `row_args<Operands, Outer>`:
//   i64 rows, width, blocks; u64 options; void* workspace; float param[4]; i64 extent[Outer];
//   operand[Operands] { void* data; i64 type, inner_stride; i64 stride[Outer]; }
// Extents not used are 1, strides not used are 0. `type` is the frozen value of rowsmith::dtype.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/facts.h"

namespace rowsmith {

class arguments {
 public:
  // Packs `f` for a kernel whose block has room for `operands` operands of `outer` outer axes each.
  arguments(const facts& f, int operands, int outer, std::int64_t blocks, void* workspace) noexcept;

  const void* data() const noexcept { return words_.data(); }
  std::size_t size() const noexcept { return count_ * sizeof(std::uint64_t); }

 private:
  static constexpr int head_words = 5 + max_params / 2;
  std::array<std::uint64_t, head_words + (max_rank - 1) + max_operands*(3 + max_rank - 1)> words_;
  std::size_t count_ = 0;
};

}  // namespace rowsmith
