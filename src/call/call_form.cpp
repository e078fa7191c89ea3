#include "call/call_form.h"

#include <bit>

#include "call/word_hash.h"

namespace rowsmith {

namespace {

// Of an address: the phases of operands are compared over 16 bytes of the narrowest, which are up to 8 elements; and
// the widest have 8 bytes each.
constexpr std::uint64_t lowest_bits = 63;

}  // namespace

[[gnu::hot]] call_form::call_form(const request& r) noexcept {
  if (r.operand_count < 1) return;
  const auto base = std::bit_cast<std::uint64_t>(r.operands[0].view.data);
  const bool expressions = r.pre || r.post;
  std::uint64_t at_first = 0;  // bit k: operand k is where the first one is
  std::uint64_t* w = word_ + 3;
  if (expressions) {
    *w++ = r.pre.word[0], *w++ = r.pre.word[1];
    *w++ = r.post.word[0], *w++ = r.post.word[1];
  }
  for (int k = 0; k < r.operand_count; ++k) {
    const operand& o = r.operands[k];
    const tensor_view& v = o.view;
    const auto rank = static_cast<std::uint32_t>(v.rank), index = static_cast<std::uint32_t>(v.device.index);
    if (rank > max_rank || index > std::uint32_t{largest_device_index}) return;
    const auto address = std::bit_cast<std::uint64_t>(v.data);
    at_first |= std::uint64_t{address == base} << k;
    *w++ = static_cast<std::uint64_t>(o.what) | static_cast<std::uint64_t>(v.dtype) << 8 |
           static_cast<std::uint64_t>(static_cast<std::uint8_t>(o.rows_from)) << 16 |
           static_cast<std::uint64_t>(v.device.kind) << 24 | std::uint64_t{index} << 32 | std::uint64_t{rank} << 48 |
           (address & lowest_bits) << 56;
    for (std::uint32_t i = 0; i < rank; ++i) {
      *w++ = static_cast<std::uint64_t>(v.shape[i]);
      *w++ = static_cast<std::uint64_t>(v.stride[i]);
    }
  }
  word_[0] = static_cast<std::uint64_t>(r.op) | static_cast<std::uint64_t>(r.operand_count) << 16 |
             std::uint64_t{r.flags} << 24 | at_first << 32 | std::uint64_t{expressions} << 48;
  word_[1] = static_cast<std::uint32_t>(r.axis);
  word_[2] = r.options;
  if ((w - word_) % 2 != 0) *w++ = 0;
  count_ = static_cast<std::size_t>(w - word_);
}

[[gnu::hot]] std::uint64_t call_form::hash() const noexcept { return hash_words(word_, count_); }

}  // namespace rowsmith
