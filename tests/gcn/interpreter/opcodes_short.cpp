// Vector integers of 16 bits. They clear the upper half of their result; the three-source ones leave it as it was.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

constexpr i32 as_signed(u32 value) { return static_cast<i16>(value); }

// Sums that clamp where the instruction says so.
template <auto F>
void sum_op(executor& e, const instruction& i) {
  const lanes32 a = e.u16_source(i, 0), b = e.u16_source(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) {
    const i32 exact = F(static_cast<i32>(a.at[l]), static_cast<i32>(b.at[l]));
    r[l] = static_cast<u32>(!i.clamp ? exact : exact < 0 ? 0 : exact > 0xffff ? 0xffff : exact);
  });
  e.put16(i, r, a.defined() & b.defined(), false);
}

}  // namespace

void add_short_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  const opcode group[] = {
      {"v_add_u16", k, 1, sum_op<[](i32 a, i32 b) { return a + b; }>},
      {"v_sub_u16", k, 1, sum_op<[](i32 a, i32 b) { return a - b; }>},
      {"v_subrev_u16", k, 1, sum_op<[](i32 a, i32 b) { return b - a; }>},
      {"v_add_i16", k, 1, u16_op<2, [](u32 a, u32 b) { return a + b; }>},
      {"v_sub_i16", k, 1, u16_op<2, [](u32 a, u32 b) { return a - b; }>},
      {"v_mul_lo_u16", k, 1, u16_op<2, [](u32 a, u32 b) { return a * b; }>},
      {"v_mad_u16", k, 1, u16_op<3, [](u32 a, u32 b, u32 c) { return a * b + c; }, true>},
      {"v_mad_i16", k, 1, u16_op<3, [](u32 a, u32 b, u32 c) { return a * b + c; }, true>},
      {"v_mad_legacy_u16", k, 1, u16_op<3, [](u32 a, u32 b, u32 c) { return a * b + c; }>},
      {"v_min_u16", k, 1, u16_op<2, [](u32 a, u32 b) { return a < b ? a : b; }>},
      {"v_max_u16", k, 1, u16_op<2, [](u32 a, u32 b) { return b < a ? a : b; }>},
      {"v_min_i16", k, 1, u16_op<2, [](u32 a, u32 b) { return as_signed(a) < as_signed(b) ? a : b; }>},
      {"v_max_i16", k, 1, u16_op<2, [](u32 a, u32 b) { return as_signed(b) < as_signed(a) ? a : b; }>},
      {"v_min3_u16", k, 1,
       u16_op<3, [](u32 a, u32 b, u32 c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }, true>},
      {"v_max3_u16", k, 1,
       u16_op<3, [](u32 a, u32 b, u32 c) { return b < a ? (c < a ? a : c) : (c < b ? b : c); }, true>},
      {"v_med3_u16", k, 1, u16_op<3, median_of<u32>, true>},
      {"v_min3_i16", k, 1,
       u16_op<3,
              [](u32 a, u32 b, u32 c) {
                const i32 x = as_signed(a), y = as_signed(b), z = as_signed(c);
                return static_cast<u32>(x < y ? (x < z ? x : z) : (y < z ? y : z));
              },
              true>},
      {"v_max3_i16", k, 1,
       u16_op<3,
              [](u32 a, u32 b, u32 c) {
                const i32 x = as_signed(a), y = as_signed(b), z = as_signed(c);
                return static_cast<u32>(y < x ? (z < x ? x : z) : (z < y ? y : z));
              },
              true>},
      {"v_med3_i16", k, 1,
       u16_op<3,
              [](u32 a, u32 b, u32 c) {
                return static_cast<u32>(median_of<i32>(as_signed(a), as_signed(b), as_signed(c)));
              },
              true>},
      {"v_lshlrev_b16", k, 1, u16_op<2, [](u32 a, u32 b) { return b << (a & 15); }>},
      {"v_lshrrev_b16", k, 1, u16_op<2, [](u32 a, u32 b) { return (b >> (a & 15)); }>},
      {"v_ashrrev_i16", k, 1, u16_op<2, [](u32 a, u32 b) { return static_cast<u32>(as_signed(b) >> (a & 15)); }>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
