// Vector integers of 64 bits, in pairs of registers.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

// Compilers leave the upper register of a pair undefined where only the lower result is wanted: hence two masks.

// F(value, shift); the shift comes first in the instruction.
template <auto F, bool Left>
void shift64(executor& e, const instruction& i) {
  const lanes32 by = e.raw(i, 0);
  const lanes_u64 a = e.u64_source(i, 1);
  lanes_of<u64> r;
  each_lane([&](int l) { r.at[l] = F(a.at[l], static_cast<int>(by.at[l] & 63)); });
  const u64 both = by.defined() & a.defined();
  e.put_u64(i, r.at, Left ? by.defined() & a.low : both, Left ? both : by.defined() & a.high);
}

// a * b + c, and in result 1 whether that left 64 bits.
template <bool Signed>
void multiply_add(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1);
  const lanes_u64 c = e.u64_source(i, 2);
  lanes_of<u64> r;
  u64 over = 0;
  for (int l = 0; l < k_lanes; ++l) {
    bool carry;
    if constexpr (Signed) {
      const i64 product = i64{static_cast<i32>(a.at[l])} * static_cast<i32>(b.at[l]);
      i64 sum;
      carry = __builtin_add_overflow(product, static_cast<i64>(c.at[l]), &sum);
      r.at[l] = static_cast<u64>(sum);
    } else {
      carry = __builtin_add_overflow(u64{a.at[l]} * b.at[l], c.at[l], &r.at[l]);
    }
    over |= u64{carry} << l;
  }
  const u64 product = a.defined() & b.defined();
  e.put_u64(i, r.at, product & c.low, product & c.defined());
  e.put_mask(i, 1, over, product & c.defined());
}

void move_pair(executor& e, const instruction& i) {  // op_sel: which register of each pair
  const lanes32 low = e.raw(i, 0, i.high_half & 1);
  std::copy(low.at, low.at + k_lanes, e.scratch());
  const lanes32 high = e.raw(i, 1, i.high_half >> 1 & 1);
  std::copy(high.at, high.at + k_lanes, e.scratch_high());
  e.put(i, e.scratch(), low.low, low.high, 0);
  e.put(i, e.scratch_high(), high.low, high.high, 1);
}

void move64(executor& e, const instruction& i) {
  const lanes_u64 a = e.u64_source(i, 0);
  e.put_u64(i, a.at, a.low, a.high);
}

}  // namespace

void add_wide_integer_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  const opcode group[] = {
      {"v_lshlrev_b64", k, 1, shift64<[](u64 a, int by) { return a << by; }, true>},
      {"v_lshrrev_b64", k, 1, shift64<[](u64 a, int by) { return (a >> by); }, false>},
      {"v_ashrrev_i64", k, 1,
       shift64<[](u64 a, int by) { return static_cast<u64>(static_cast<i64>(a) >> by); }, false>},
      {"v_mad_u64_u32", k, 2, multiply_add<false>},
      {"v_mad_i64_i32", k, 2, multiply_add<true>},
      {"v_pk_mov_b32", k, 1, move_pair},
      {"v_mov_b64", k, 1, move64},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
