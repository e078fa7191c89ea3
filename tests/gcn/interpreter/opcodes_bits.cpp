// Vector bit operations. Those that move halves about keep track of which half of the result is defined.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

// F works bit by bit: a half of the result depends on that half of the sources alone.
template <int N, auto F>
void bitwise_op(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = N > 1 ? e.raw(i, 1) : a, c = N > 2 ? e.raw(i, 2) : a;
  u32* r = e.scratch();
  apply<N, F>(r, a.at, b.at, c.at);
  e.put(i, r, a.low & b.low & c.low, a.high & b.high & c.high);
}

// A half that a constant source masks with zeros is defined.
u64 low_or_masked(const operand& mask, u64 defined) {
  return mask.is_constant() && (mask.value & 0xffff) == 0 ? k_every_lane : defined;
}
u64 high_or_masked(const operand& mask, u64 defined) {
  return mask.is_constant() && (mask.value >> 16 & 0xffff) == 0 ? k_every_lane : defined;
}

void and_op(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = a.at[l] & b.at[l]; });
  const u64 low = a.low & b.low, high = a.high & b.high;
  e.put(i, r, low_or_masked(i.source[0], low_or_masked(i.source[1], low)),
        high_or_masked(i.source[0], high_or_masked(i.source[1], high)));
}

void and_or(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1), c = e.raw(i, 2);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = (a.at[l] & b.at[l]) | c.at[l]; });
  const u64 low = a.low & b.low, high = a.high & b.high;
  e.put(i, r, c.low & low_or_masked(i.source[0], low_or_masked(i.source[1], low)),
        c.high & high_or_masked(i.source[0], high_or_masked(i.source[1], high)));
}

void insert(executor& e, const instruction& i) {
  const lanes32 mask = e.raw(i, 0), a = e.raw(i, 1), b = e.raw(i, 2);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = (mask.at[l] & a.at[l]) | (~mask.at[l] & b.at[l]); });
  u64 low = mask.low & a.low & b.low, high = mask.high & a.high & b.high;
  if (const operand& m = i.source[0]; m.is_constant()) {
    const u32 l = m.value & 0xffff, h = m.value >> 16 & 0xffff;
    low = l == 0 ? b.low : l == 0xffff ? a.low : low;
    high = h == 0 ? b.high : h == 0xffff ? a.high : high;
  }
  e.put(i, r, low, high);
}

bool shifts_a_half(const operand& by) { return by.is_constant() && (by.value & 31) >= 16; }

void shift_left(executor& e, const instruction& i) {
  const lanes32 by = e.raw(i, 0), a = e.raw(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = a.at[l] << (by.at[l] & 31); });
  if (shifts_a_half(i.source[0])) return e.put(i, r, k_every_lane, a.low);
  e.put(i, r, by.defined() & a.low, by.defined() & a.defined());
}
void shift_right(executor& e, const instruction& i) {
  const lanes32 by = e.raw(i, 0), a = e.raw(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = a.at[l] >> (by.at[l] & 31); });
  if (shifts_a_half(i.source[0])) return e.put(i, r, a.high, k_every_lane);
  e.put(i, r, by.defined() & a.defined(), by.defined() & a.high);
}
void shift_right_signed(executor& e, const instruction& i) {
  const lanes32 by = e.raw(i, 0), a = e.raw(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = static_cast<u32>(static_cast<i32>(a.at[l]) >> (by.at[l] & 31)); });
  if (shifts_a_half(i.source[0])) return e.put(i, r, a.high, a.high);
  e.put(i, r, by.defined() & a.defined(), by.defined() & a.high);
}
void shift_left_or(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), by = e.raw(i, 1), c = e.raw(i, 2);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = (a.at[l] << (by.at[l] & 31)) | c.at[l]; });
  if (shifts_a_half(i.source[1])) return e.put(i, r, c.low, a.low & c.high);
  e.put(i, r, by.defined() & a.low & c.low, by.defined() & a.defined() & c.high);
}

constexpr u32 field(u32 from, u32 at, u32 width) {
  width &= 31;
  return width == 0 ? 0 : from >> (at & 31) & ((1u << width) - 1);
}
constexpr u32 signed_field(u32 from, u32 at, u32 width) {
  width &= 31;
  at &= 31;
  if (width == 0) return 0;
  if (at + width >= 32) return static_cast<u32>(static_cast<i32>(from) >> at);
  return static_cast<u32>(static_cast<i32>(from << (32 - at - width)) >> (32 - width));
}

template <auto F>
void field_op(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), at = e.raw(i, 1), width = e.raw(i, 2);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = F(a.at[l], at.at[l], width.at[l]); });
  u64 from = a.defined();
  if (i.source[1].is_constant() && i.source[2].is_constant()) {
    const u32 first = i.source[1].value & 31, size = i.source[2].value & 31;
    if (first >= 16) from = a.high;
    if (first + size <= 16) from = a.low;
  }
  e.put(i, r, from & at.defined() & width.defined());
}

// Byte by byte, from the eight bytes of both sources (the second below the first): a number, a sign or a constant.
void permute_bytes(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1), pick = e.raw(i, 2);
  u32* r = e.scratch();
  u64 defined[2] = {pick.defined(), pick.defined()};
  for (int l = 0; l < k_lanes; ++l) {
    const u64 bytes = u64{a.at[l]} << 32 | b.at[l];
    const bool half[4] = {(b.low >> l & 1) != 0, (b.high >> l & 1) != 0, (a.low >> l & 1) != 0, (a.high >> l & 1) != 0};
    u32 made = 0;
    for (int n = 0; n < 4; ++n) {
      const u32 which = pick.at[l] >> (8 * n) & 0xff;
      u32 byte = 0xff;
      bool known = true;
      if (which < 8) {
        byte = bytes >> (8 * which) & 0xff;
        known = half[which / 2];
      } else if (which < 12) {
        byte = (bytes >> (16 * (which - 8) + 15) & 1) ? 0xff : 0;
        known = half[which - 8];
      } else if (which == 12) {
        byte = 0;
      }
      made |= byte << (8 * n);
      if (!known) defined[n / 2] &= ~(u64{1} << l);
    }
    r[l] = made;
  }
  e.put(i, r, defined[0], defined[1]);
}

void align_bits(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1), by = e.raw(i, 2);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = static_cast<u32>((u64{a.at[l]} << 32 | b.at[l]) >> (by.at[l] & 31)); });
  if (i.source[2].is_constant() && (i.source[2].value & 31) == 16) return e.put(i, r, b.high, a.low);
  e.put(i, r, a.defined() & b.defined() & by.defined());
}

void move(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0);
  e.put(i, a.at, a.low, a.high);
}

// Source 2 is the lane mask; absolute value and sign apply to what is chosen from.
void choose(executor& e, const instruction& i) {
  lanes32 from[2] = {e.raw(i, 0), e.raw(i, 1)};
  const scalar_value mask = e.scalar64(i, 2);
  u32* r = e.scratch();
  const auto modified = [&](int n, u32 value) {
    const operand& o = i.source[n];
    return (value & (o.absolute ? 0x7fffffffu : ~0u)) ^ (o.negate ? 0x80000000u : 0);
  };
  each_lane([&](int l) { r[l] = (mask.bits >> l & 1) ? modified(1, from[1].at[l]) : modified(0, from[0].at[l]); });
  e.put(i, r, mask.defined & ((mask.bits & from[1].low) | (~mask.bits & from[0].low)),
        mask.defined & ((mask.bits & from[1].high) | (~mask.bits & from[0].high)));
}

}  // namespace

void add_bit_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  const opcode group[] = {
      {"v_mov_b32", k, 1, move},
      {"v_accvgpr_read_b32", k, 1, move},
      {"v_accvgpr_write_b32", k, 1, move},
      {"v_accvgpr_mov_b32", k, 1, move},
      {"v_cndmask_b32", k, 1, choose},
      {"v_not_b32", k, 1, bitwise_op<1, [](u32 a) { return ~a; }>},
      {"v_and_b32", k, 1, and_op},
      {"v_or_b32", k, 1, bitwise_op<2, [](u32 a, u32 b) { return a | b; }>},
      {"v_xor_b32", k, 1, bitwise_op<2, [](u32 a, u32 b) { return a ^ b; }>},
      {"v_xnor_b32", k, 1, bitwise_op<2, [](u32 a, u32 b) { return ~(a ^ b); }>},
      {"v_or3_b32", k, 1, bitwise_op<3, [](u32 a, u32 b, u32 c) { return a | b | c; }>},
      {"v_and_or_b32", k, 1, and_or},
      {"v_bfi_b32", k, 1, insert},
      {"v_lshlrev_b32", k, 1, shift_left},
      {"v_lshrrev_b32", k, 1, shift_right},
      {"v_ashrrev_i32", k, 1, shift_right_signed},
      {"v_lshl_or_b32", k, 1, shift_left_or},
      {"v_bfe_u32", k, 1, field_op<field>},
      {"v_bfe_i32", k, 1, field_op<signed_field>},
      {"v_bfm_b32", k, 1, u32_op<2, [](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
      {"v_perm_b32", k, 1, permute_bytes},
      {"v_alignbit_b32", k, 1, align_bits},
      {"v_alignbyte_b32", k, 1,
       u32_op<3, [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3))); }>},
      {"v_bfrev_b32", k, 1, u32_op<1, [](u32 a) { return reverse_bits(a); }>},
      {"v_ffbh_u32", k, 1, u32_op<1, [](u32 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; }>},
      {"v_ffbl_b32", k, 1, u32_op<1, [](u32 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; }>},
      {"v_ffbh_i32", k, 1,
       u32_op<1,
              [](u32 a) {
                const u32 differs = a ^ (static_cast<i32>(a) < 0 ? ~0u : 0u);
                return differs ? static_cast<u32>(std::countl_zero(differs)) : ~0u;
              }>},
      {"v_bcnt_u32_b32", k, 1, u32_op<2, [](u32 a, u32 b) { return static_cast<u32>(std::popcount(a)) + b; }>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
