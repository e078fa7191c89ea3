#include "model/arguments.h"

#include <bit>

namespace rowsmith {

arguments::arguments(const facts& f, int operands, int outer, std::int64_t blocks, void* workspace) noexcept {
  std::uint64_t* w = words_.data();
  *w++ = static_cast<std::uint64_t>(f.call.rows);
  *w++ = static_cast<std::uint64_t>(f.fixed.width);
  *w++ = static_cast<std::uint64_t>(blocks);
  *w++ = f.fixed.options;
  *w++ = std::bit_cast<std::uint64_t>(workspace);
  for (int i = 0; i < max_params; i += 2) {
    *w++ = std::bit_cast<std::uint32_t>(f.call.param[i]) |
           std::uint64_t{std::bit_cast<std::uint32_t>(f.call.param[i + 1])} << 32;
  }
  for (int i = 0; i < outer; ++i) {
    *w++ = i < f.fixed.outer_rank ? static_cast<std::uint64_t>(f.call.extent[i]) : 1;
  }
  for (int k = 0; k < operands; ++k) {
    const bool used = k < f.fixed.operand_count;
    const call_data::memory& m = f.call.operands[k];
    *w++ = used ? std::bit_cast<std::uint64_t>(m.data) : 0;
    *w++ = used ? static_cast<std::uint64_t>(f.fixed.operands[k].dtype) : 0;
    *w++ = used ? static_cast<std::uint64_t>(m.inner_stride) : 0;
    for (int i = 0; i < outer; ++i) {
      *w++ = used && i < f.fixed.outer_rank ? static_cast<std::uint64_t>(m.stride[i]) : 0;
    }
  }
  count_ = static_cast<std::size_t>(w - words_.data());
}

}  // namespace rowsmith
