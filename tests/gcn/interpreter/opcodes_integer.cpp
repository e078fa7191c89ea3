// Vector integers of 32 bits: sums, products, minima, and sums with a carry.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

constexpr i32 low24(i32 value) { return static_cast<i32>(static_cast<u32>(value) << 8) >> 8; }

// F(a, b, carry in) to 33 bits, the highest being the carry out. Carry out is result 1, carry in source 2.
template <auto F, bool CarryIn>
void carry_op(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1);
  const scalar_value carry = CarryIn ? e.scalar64(i, 2) : scalar_value{0, ~u64{0}};
  u32* r = e.scratch();
  lanes_of<u64> sum;
  each_lane([&](int l) { sum.at[l] = F(u64{a.at[l]}, u64{b.at[l]}, carry.bits >> l & 1); });
  each_lane([&](int l) { r[l] = static_cast<u32>(sum.at[l]); });
  const u64 out = lane_mask([&](int l) { return (sum.at[l] >> 32 & 1) != 0; });
  const u64 defined = a.defined() & b.defined() & carry.defined;
  e.put(i, r, defined);
  e.put_mask(i, 1, out, defined);
}

// Sums that clamp where the instruction says so.
template <auto F>
void clamped_op(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) {
    const i64 exact = F(i64{a.at[l]}, i64{b.at[l]});
    const i64 limited = exact < 0 ? 0 : exact > 0xffffffffll ? 0xffffffffll : exact;
    r[l] = static_cast<u32>(i.clamp ? limited : exact);
  });
  e.put(i, r, a.defined() & b.defined());
}

}  // namespace

void add_integer_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  const opcode group[] = {
      {"v_add_u32", k, 1, clamped_op<[](i64 a, i64 b) { return a + b; }>},
      {"v_sub_u32", k, 1, clamped_op<[](i64 a, i64 b) { return a - b; }>},
      {"v_subrev_u32", k, 1, clamped_op<[](i64 a, i64 b) { return b - a; }>},
      {"v_add_i32", k, 1, u32_op<2, [](u32 a, u32 b) { return a + b; }>},
      {"v_sub_i32", k, 1, u32_op<2, [](u32 a, u32 b) { return a - b; }>},
      {"v_add_co_u32", k, 2, carry_op<[](u64 a, u64 b, u64) { return a + b; }, false>},
      {"v_sub_co_u32", k, 2, carry_op<[](u64 a, u64 b, u64) { return a - b; }, false>},
      {"v_subrev_co_u32", k, 2, carry_op<[](u64 a, u64 b, u64) { return b - a; }, false>},
      {"v_addc_co_u32", k, 2, carry_op<[](u64 a, u64 b, u64 c) { return a + b + c; }, true>},
      {"v_subb_co_u32", k, 2, carry_op<[](u64 a, u64 b, u64 c) { return a - b - c; }, true>},
      {"v_subbrev_co_u32", k, 2, carry_op<[](u64 a, u64 b, u64 c) { return b - a - c; }, true>},
      {"v_mul_lo_u32", k, 1, u32_op<2, [](u32 a, u32 b) { return a * b; }>},
      {"v_mul_hi_u32", k, 1, u32_op<2, [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }>},
      {"v_mul_hi_i32", k, 1, i32_op<2, [](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }>},
      {"v_mul_u32_u24", k, 1, u32_op<2, [](u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }>},
      {"v_mul_hi_u32_u24", k, 1,
       u32_op<2, [](u32 a, u32 b) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) >> 32); }>},
      {"v_mul_i32_i24", k, 1, i32_op<2, [](i32 a, i32 b) { return static_cast<i32>(i64{low24(a)} * low24(b)); }>},
      {"v_mul_hi_i32_i24", k, 1,
       i32_op<2, [](i32 a, i32 b) { return static_cast<i32>(i64{low24(a)} * low24(b) >> 32); }>},
      {"v_mad_u32_u24", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return (a & 0xffffff) * (b & 0xffffff) + c; }>},
      {"v_mad_i32_i24", k, 1,
       i32_op<3, [](i32 a, i32 b, i32 c) { return static_cast<i32>(i64{low24(a)} * low24(b) + c); }>},
      {"v_min_u32", k, 1, u32_op<2, [](u32 a, u32 b) { return a < b ? a : b; }>},
      {"v_max_u32", k, 1, u32_op<2, [](u32 a, u32 b) { return b < a ? a : b; }>},
      {"v_min_i32", k, 1, i32_op<2, [](i32 a, i32 b) { return a < b ? a : b; }>},
      {"v_max_i32", k, 1, i32_op<2, [](i32 a, i32 b) { return b < a ? a : b; }>},
      {"v_min3_u32", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }>},
      {"v_max3_u32", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return b < a ? (c < a ? a : c) : (c < b ? b : c); }>},
      {"v_med3_u32", k, 1, u32_op<3, median_of<u32>>},
      {"v_min3_i32", k, 1, i32_op<3, [](i32 a, i32 b, i32 c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }>},
      {"v_max3_i32", k, 1, i32_op<3, [](i32 a, i32 b, i32 c) { return b < a ? (c < a ? a : c) : (c < b ? b : c); }>},
      {"v_med3_i32", k, 1, i32_op<3, median_of<i32>>},
      {"v_add3_u32", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return a + b + c; }>},
      {"v_lshl_add_u32", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>},
      {"v_add_lshl_u32", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>},
      {"v_xad_u32", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>},
      {"v_sad_u32", k, 1, u32_op<3, [](u32 a, u32 b, u32 c) { return (b < a ? a - b : b - a) + c; }>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
