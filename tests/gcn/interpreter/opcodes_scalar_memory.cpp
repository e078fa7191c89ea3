// Scalar loads.
#include <cstring>

#include "handlers.h"

namespace rowsmith::gcn {
namespace {

template <int Words>
void load(executor& e, const instruction& i) {
  const scalar_value base = e.scalar64(i, 0), offset = e.scalar(i, 1);
  if (!base.known(~u64{0}) || !offset.known(0xffffffffu)) return e.undefined(i, "used as an address");
  // A constant is signed, a register is not; the lowest two bits do not count.
  const i64 by = i.source[1].is_constant() ? static_cast<i32>(offset.bits) : static_cast<i64>(offset.bits);
  const u64 at = (base.bits + static_cast<u64>(by) + static_cast<u64>(i64{i.offset})) & ~u64{3};
  if (e.memory().find(at, 4 * Words) == nullptr) {
    return e.fault_at(i, "reads " + std::to_string(4 * Words) + " bytes out of bounds, " + e.memory().nearest(at));
  }
  u32 words[Words];
  std::memcpy(words, reinterpret_cast<const void*>(at), sizeof words);
  for (int n = 0; n < Words; ++n) e.w().set_scalar(i.result[0].index + n, words[n]);
  e.w().pending.issue(scoreboard::local_and_scalar, scoreboard::source::scalar, i, &i.result[0], Words);
}

}  // namespace

void add_scalar_memory_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::scalar_load;
  rows.push_back({"s_load_dword", k, 1, load<1>});
  rows.push_back({"s_load_dwordx2", k, 1, load<2>});
  rows.push_back({"s_load_dwordx4", k, 1, load<4>});
  rows.push_back({"s_load_dwordx8", k, 1, load<8>});
  rows.push_back({"s_load_dwordx16", k, 1, load<16>});
}

}  // namespace rowsmith::gcn
