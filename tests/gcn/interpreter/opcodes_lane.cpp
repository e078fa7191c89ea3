// Between lanes and scalars: readlane, writelane, counts of lower lanes.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

void read(executor& e, const instruction& i, int lane, bool known = true) {
  lanes32 a = e.raw(i, 0);
  if (!known) a.low = a.high = 0;
  const u32 low = (a.low >> lane & 1) ? 0xffffu : 0, high = (a.high >> lane & 1) ? 0xffff0000u : 0;
  e.put_scalar(i, 0, a.at[lane], low | high);
}

void read_first_lane(executor& e, const instruction& i) {
  const u64 exec = e.exec();
  const int first = exec ? std::countr_zero(exec) : 0;
  read(e, i, first, (e.w().doubtful() << (63 - first)) == 0);  // no lane up to it may or may not be active
}

// EXEC plays no part in the next two.
void read_lane(executor& e, const instruction& i) {
  const scalar_value lane = e.scalar(i, 1);
  if (!lane.known(63)) return e.undefined(i, "used as a lane number");
  read(e, i, static_cast<int>(lane.bits & 63));
}
void write_lane(executor& e, const instruction& i) {
  const scalar_value value = e.scalar(i, 0), lane = e.scalar(i, 1);
  if (!lane.known(63)) return e.undefined(i, "used as a lane number");
  const int l = static_cast<int>(lane.bits & 63), r = i.result[0].index;
  const u64 one = u64{1} << l;
  e.w().v[r][l] = static_cast<u32>(value.bits);
  e.w().low_written[r] = value.known(0xffff) ? e.w().low_written[r] | one : e.w().low_written[r] & ~one;
  e.w().high_written[r] = value.known(0xffff0000u) ? e.w().high_written[r] | one : e.w().high_written[r] & ~one;
}

// Bits of the source that stand for lanes below this one, plus source 1.
template <bool Upper>
void count_below(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) {
    const u64 below = (u64{1} << l) - 1;
    r[l] = static_cast<u32>(std::popcount(a.at[l] & static_cast<u32>(Upper ? below >> 32 : below))) + b.at[l];
  });
  e.put(i, r, a.defined() & b.defined());
}

}  // namespace

void add_lane_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  rows.push_back({"v_readfirstlane_b32", k, 1, read_first_lane});
  rows.push_back({"v_readlane_b32", k, 1, read_lane});
  rows.push_back({"v_writelane_b32", k, 1, write_lane});
  rows.push_back({"v_mbcnt_lo_u32_b32", k, 1, count_below<false>});
  rows.push_back({"v_mbcnt_hi_u32_b32", k, 1, count_below<true>});
}

}  // namespace rowsmith::gcn
