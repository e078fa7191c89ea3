// Scalar arithmetic and logic. SCC: of a sum its carry or overflow, of a bit operation whether the result is not zero.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

constexpr u64 k_word = 0xffffffffu;

struct with_scc {
  u64 value;
  bool scc;
};

u32 all_or_nothing(bool known) { return known ? ~0u : 0; }

// F(a, b, scc) to a value and SCC.
template <auto F>
void counted(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0), b = i.sources > 1 ? e.scalar(i, 1) : a;
  const with_scc r = F(static_cast<u32>(a.bits), static_cast<u32>(b.bits), e.w().scc);
  const bool known = a.known(k_word) && b.known(k_word);
  e.put_scalar(i, 0, static_cast<u32>(r.value), all_or_nothing(known));
  e.put_scc(r.scc, known);
}

// As counted(), of ops that take SCC as a source.
template <auto F>
void carried(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0), b = e.scalar(i, 1);
  const with_scc r = F(static_cast<u32>(a.bits), static_cast<u32>(b.bits), e.w().scc);
  const bool known = a.known(k_word) && b.known(k_word) && e.w().scc_written;
  e.put_scalar(i, 0, static_cast<u32>(r.value), all_or_nothing(known));
  e.put_scc(r.scc, known);
}

// Leaves SCC alone.
template <auto F>
void quiet32(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0), b = i.sources > 1 ? e.scalar(i, 1) : a;
  e.put_scalar(i, 0, F(static_cast<u32>(a.bits), static_cast<u32>(b.bits)),
               all_or_nothing(a.known(k_word) && b.known(k_word)));
}

// The 16-bit constant of the instruction is the second source, the result the first.
template <auto F, bool Scc>
void with_constant(executor& e, const instruction& i) {
  const int at = i.result[0].index;
  const with_scc r = F(e.w().s[at], i.immediate());
  const bool known = e.w().s_written[at] == ~0u;
  e.put_scalar(i, 0, static_cast<u32>(r.value), all_or_nothing(known));
  if (Scc) e.put_scc(r.scc, known);
}

void movk(executor& e, const instruction& i) { e.put_scalar(i, 0, static_cast<u32>(i.immediate()), ~0u); }
void cmovk(executor& e, const instruction& i) {
  if (!e.w().scc_written) return e.undefined(i, "chosen by");
  if (e.w().scc) movk(e, i);
}

template <auto F>
void bits32(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0), b = i.sources > 1 ? e.scalar(i, 1) : a;
  // A bit is defined where the undefined ones cannot change it: tried with all of them 0 and all of them 1.
  const u64 a0 = a.bits & a.defined, a1 = a.bits | ~a.defined, b0 = b.bits & b.defined, b1 = b.bits | ~b.defined;
  const u64 r = F(a0, b0);
  const u64 defined = ~((r ^ F(a1, b0)) | (r ^ F(a0, b1)) | (r ^ F(a1, b1)));
  e.put_scalar(i, 0, static_cast<u32>(r), static_cast<u32>(defined));
  e.put_scc(static_cast<u32>(r) != 0, (defined & k_word) == k_word || (r & defined & k_word) != 0);
}

// 64 bits are lane masks. The undefined bits of a lane are taken for one unknown or its opposite, since they stem from
// one condition as a rule: the lanes that took a branch and those that did not are together all lanes again.
template <auto F>
scalar_value combined(const scalar_value& a, const scalar_value& b) {
  const u64 r = F(a.bits, b.bits);
  return {r, ~(r ^ F(a.bits ^ ~a.defined, b.bits ^ ~b.defined))};
}

void put_bits64(executor& e, const instruction& i, const scalar_value& r) {
  e.put_scalar64(i, 0, r.bits, r.defined);
  e.put_scc(r.bits != 0, r.defined == ~u64{0} || (r.bits & r.defined) != 0);
}

template <auto F>
void bits64(executor& e, const instruction& i) {
  put_bits64(e, i, combined<F>(e.scalar64(i, 0), i.sources > 1 ? e.scalar64(i, 1) : scalar_value{0, ~u64{0}}));
}

// EXEC becomes F(source, EXEC); what it was is the result.
template <auto F>
void save_exec(executor& e, const instruction& i) {
  const scalar_value was{e.exec(), ~e.w().doubtful()};
  const scalar_value now = combined<F>(e.scalar64(i, 0), was);
  e.put_scalar64(i, 0, was.bits, was.defined);
  e.w().set_exec(now.bits, now.defined);
  e.put_scc(now.bits != 0, now.defined == ~u64{0} || (now.bits & now.defined) != 0);
}

template <auto F>
void shift64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar64(i, 0), b = e.scalar(i, 1);
  const u64 r = F(a.bits, static_cast<int>(b.bits & 63));
  const bool known = a.known(~u64{0}) && b.known(k_word);
  e.put_scalar64(i, 0, r, known ? ~u64{0} : 0);
  e.put_scc(r != 0, known);
}

void mov32(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0);
  e.put_scalar(i, 0, static_cast<u32>(a.bits), static_cast<u32>(a.defined));
}
void mov64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar64(i, 0);
  e.put_scalar64(i, 0, a.bits, a.defined);
}
void cmov32(executor& e, const instruction& i) {
  if (!e.w().scc_written) return e.undefined(i, "chosen by");
  if (e.w().scc) mov32(e, i);
}

void cselect32(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, e.w().scc ? 0 : 1);
  e.put_scalar(i, 0, static_cast<u32>(a.bits), e.w().scc_written ? static_cast<u32>(a.defined) : 0);
}
void cselect64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar64(i, e.w().scc ? 0 : 1);
  e.put_scalar64(i, 0, a.bits, e.w().scc_written ? a.defined : 0);
}

// A count over 64 bits.
template <auto F, bool Scc>
void count64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar64(i, 0);
  const bool known = a.known(~u64{0});
  const u32 r = F(a.bits);
  e.put_scalar(i, 0, r, all_or_nothing(known));
  if (Scc) e.put_scc(r != 0, known);
}

template <bool To>
void set_bit(executor& e, const instruction& i) {
  const scalar_value at = e.scalar(i, 0);
  const int r = i.result[0].index;
  const u32 bit = 1u << (at.bits & 31);
  const u32 defined = at.known(k_word) ? e.w().s_written[r] | bit : 0;
  e.put_scalar(i, 0, To ? e.w().s[r] | bit : e.w().s[r] & ~bit, defined);
}

u32 field(u32 from, u32 control) {
  const u32 at = control & 31, width = control >> 16 & 0x7f;
  return width == 0 ? 0 : 32 <= width ? from >> at : from >> at & ((1u << width) - 1);
}
u32 signed_field(u32 from, u32 control) {
  const int at = control & 31, width = control >> 16 & 0x7f;
  if (width == 0) return 0;
  const i32 moved = static_cast<i32>(from) >> at;
  return width + 32 <= at ? static_cast<u32>(moved)
                          : static_cast<u32>(static_cast<i32>(from << (32 - at - width)) >> (32 - width));
}
void field64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar64(i, 0), b = e.scalar(i, 1);
  const int at = b.bits & 63, width = b.bits >> 16 & 0x7f;
  const u64 r = width == 0 ? 0 : width >= 64 ? a.bits >> at : a.bits >> at & ((u64{1} << width) - 1);
  const bool known = a.known(~u64{0}) && b.known(k_word);
  e.put_scalar64(i, 0, r, known ? ~u64{0} : 0);
  e.put_scc(r != 0, known);
}
void signed_field64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar64(i, 0), b = e.scalar(i, 1);
  const int at = b.bits & 63, width = b.bits >> 16 & 0x7f;
  const bool whole = at + width >= 64;  // nothing above the field
  const i64 from = static_cast<i64>(a.bits);
  const u64 r = width == 0 ? 0
                : whole    ? static_cast<u64>(from >> at)
                           : static_cast<u64>(static_cast<i64>(a.bits << (64 - at - width)) >> (64 - width));
  const bool known = a.known(~u64{0}) && b.known(k_word);
  e.put_scalar64(i, 0, r, known ? ~u64{0} : 0);
  e.put_scc(r != 0, known);
}
void mask64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0), b = e.scalar(i, 1);
  e.put_scalar64(i, 0, ((u64{1} << (a.bits & 63)) - 1) << (b.bits & 63), a.known(63) && b.known(63) ? ~u64{0} : 0);
}

constexpr auto nonzero = [](u32 value) { return with_scc{value, value != 0}; };

constexpr auto carrying = [](u64 sum) { return with_scc{sum, (sum >> 32) != 0}; };
constexpr auto overflowing = [](i64 sum) { return with_scc{static_cast<u32>(sum), sum != static_cast<i32>(sum)}; };

template <int Shift>
constexpr auto shift_add = [](u32 a, u32 b, bool) { return carrying((u64{a} << Shift) + b); };

}  // namespace

void add_scalar_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::salu;
  const opcode group[] = {
      {"s_mov_b32", k, 1, mov32},
      {"s_mov_b64", k, 1, mov64},
      {"s_cmov_b32", k, 1, cmov32},
      {"s_movk_i32", k, 1, movk},
      {"s_cmovk_i32", k, 1, cmovk},
      {"s_cselect_b32", k, 1, cselect32},
      {"s_cselect_b64", k, 1, cselect64},
      {"s_add_u32", k, 1, counted<[](u32 a, u32 b, bool) { return carrying(u64{a} + b); }>},
      {"s_addc_u32", k, 1, carried<[](u32 a, u32 b, bool c) { return carrying(u64{a} + b + c); }>},
      {"s_sub_u32", k, 1, counted<[](u32 a, u32 b, bool) {
         return with_scc{a - b, a < b};
       }>},
      {"s_subb_u32", k, 1, carried<[](u32 a, u32 b, bool c) {
         return with_scc{a - b - c, u64{b} + a < c};
       }>},
      {"s_add_i32", k, 1,
       counted<[](u32 a, u32 b, bool) { return overflowing(i64{static_cast<i32>(a)} + static_cast<i32>(b)); }>},
      {"s_sub_i32", k, 1,
       counted<[](u32 a, u32 b, bool) { return overflowing(i64{static_cast<i32>(a)} - static_cast<i32>(b)); }>},
      {"s_addk_i32", k, 1, with_constant<[](u32 a, i32 c) { return overflowing(i64{static_cast<i32>(a)} + c); }, true>},
      {"s_mulk_i32", k, 1,
       with_constant<[](u32 a, i32 c) {
         return with_scc{a * static_cast<u32>(c), false};
       },
                     false>},
      {"s_mul_i32", k, 1, quiet32<[](u32 a, u32 b) { return a * b; }>},
      {"s_mul_hi_u32", k, 1, quiet32<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }>},
      {"s_mul_hi_i32", k, 1,
       quiet32<[](u32 a, u32 b) { return static_cast<u32>(i64{static_cast<i32>(a)} * static_cast<i32>(b) >> 32); }>},
      {"s_lshl1_add_u32", k, 1, counted<shift_add<1>>},
      {"s_lshl2_add_u32", k, 1, counted<shift_add<2>>},
      {"s_lshl3_add_u32", k, 1, counted<shift_add<3>>},
      {"s_lshl4_add_u32", k, 1, counted<shift_add<4>>},
      {"s_min_u32", k, 1, counted<[](u32 a, u32 b, bool) {
         return with_scc{a < b ? a : b, a < b};
       }>},
      {"s_max_u32", k, 1, counted<[](u32 a, u32 b, bool) {
         return with_scc{b < a ? a : b, b < a};
       }>},
      {"s_min_i32", k, 1, counted<[](u32 a, u32 b, bool) {
         return with_scc{static_cast<i32>(a) < static_cast<i32>(b) ? a : b, static_cast<i32>(a) < static_cast<i32>(b)};
       }>},
      {"s_max_i32", k, 1, counted<[](u32 a, u32 b, bool) {
         return with_scc{static_cast<i32>(b) < static_cast<i32>(a) ? a : b, static_cast<i32>(b) < static_cast<i32>(a)};
       }>},
      {"s_abs_i32", k, 1, counted<[](u32 a, u32, bool) { return nonzero(static_cast<i32>(a) < 0 ? 0u - a : a); }>},
      {"s_absdiff_i32", k, 1,
       counted<[](u32 a, u32 b, bool) { return nonzero(static_cast<i32>(b) < static_cast<i32>(a) ? a - b : b - a); }>},
      {"s_lshl_b32", k, 1, counted<[](u32 a, u32 b, bool) { return nonzero(a << (b & 31)); }>},
      {"s_lshr_b32", k, 1, counted<[](u32 a, u32 b, bool) { return nonzero((a >> (b & 31))); }>},
      {"s_ashr_i32", k, 1,
       counted<[](u32 a, u32 b, bool) { return nonzero(static_cast<u32>(static_cast<i32>(a) >> (b & 31))); }>},
      {"s_lshl_b64", k, 1, shift64<[](u64 a, int b) { return a << b; }>},
      {"s_lshr_b64", k, 1, shift64<[](u64 a, int b) { return (a >> b); }>},
      {"s_ashr_i64", k, 1, shift64<[](u64 a, int b) { return static_cast<u64>(static_cast<i64>(a) >> b); }>},
      {"s_bfe_u32", k, 1, counted<[](u32 a, u32 b, bool) { return nonzero(field(a, b)); }>},
      {"s_bfe_i32", k, 1, counted<[](u32 a, u32 b, bool) { return nonzero(signed_field(a, b)); }>},
      {"s_bfe_u64", k, 1, field64},
      {"s_bfe_i64", k, 1, signed_field64},
      {"s_bfm_b32", k, 1, quiet32<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
      {"s_bfm_b64", k, 1, mask64},
      {"s_bitset0_b32", k, 1, set_bit<false>},
      {"s_bitset1_b32", k, 1, set_bit<true>},
      {"s_not_b32", k, 1, bits32<[](u64 a, u64) { return ~a; }>},
      {"s_and_b32", k, 1, bits32<[](u64 a, u64 b) { return a & b; }>},
      {"s_or_b32", k, 1, bits32<[](u64 a, u64 b) { return a | b; }>},
      {"s_xor_b32", k, 1, bits32<[](u64 a, u64 b) { return a ^ b; }>},
      {"s_andn2_b32", k, 1, bits32<[](u64 a, u64 b) { return a & ~b; }>},
      {"s_orn2_b32", k, 1, bits32<[](u64 a, u64 b) { return a | ~b; }>},
      {"s_nand_b32", k, 1, bits32<[](u64 a, u64 b) { return ~(a & b); }>},
      {"s_nor_b32", k, 1, bits32<[](u64 a, u64 b) { return ~(a | b); }>},
      {"s_xnor_b32", k, 1, bits32<[](u64 a, u64 b) { return ~(a ^ b); }>},
      {"s_not_b64", k, 1, bits64<[](u64 a, u64) { return ~a; }>},
      {"s_and_b64", k, 1, bits64<[](u64 a, u64 b) { return a & b; }>},
      {"s_or_b64", k, 1, bits64<[](u64 a, u64 b) { return a | b; }>},
      {"s_xor_b64", k, 1, bits64<[](u64 a, u64 b) { return a ^ b; }>},
      {"s_andn2_b64", k, 1, bits64<[](u64 a, u64 b) { return a & ~b; }>},
      {"s_orn2_b64", k, 1, bits64<[](u64 a, u64 b) { return a | ~b; }>},
      {"s_nand_b64", k, 1, bits64<[](u64 a, u64 b) { return ~(a & b); }>},
      {"s_nor_b64", k, 1, bits64<[](u64 a, u64 b) { return ~(a | b); }>},
      {"s_xnor_b64", k, 1, bits64<[](u64 a, u64 b) { return ~(a ^ b); }>},
      {"s_and_saveexec_b64", k, 1, save_exec<[](u64 a, u64 exec) { return a & exec; }>},
      {"s_or_saveexec_b64", k, 1, save_exec<[](u64 a, u64 exec) { return a | exec; }>},
      {"s_xor_saveexec_b64", k, 1, save_exec<[](u64 a, u64 exec) { return a ^ exec; }>},
      {"s_andn2_saveexec_b64", k, 1, save_exec<[](u64 a, u64 exec) { return a & ~exec; }>},
      {"s_andn1_saveexec_b64", k, 1, save_exec<[](u64 a, u64 exec) { return ~a & exec; }>},
      {"s_orn2_saveexec_b64", k, 1, save_exec<[](u64 a, u64 exec) { return a | ~exec; }>},
      {"s_brev_b32", k, 1, quiet32<[](u32 a, u32) { return reverse_bits(a); }>},
      {"s_ff1_i32_b32", k, 1, quiet32<[](u32 a, u32) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; }>},
      {"s_ff1_i32_b64", k, 1, count64<[](u64 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; }, false>},
      {"s_flbit_i32_b32", k, 1, quiet32<[](u32 a, u32) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; }>},
      {"s_flbit_i32_b64", k, 1, count64<[](u64 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; }, false>},
      {"s_flbit_i32", k, 1, quiet32<[](u32 a, u32) {
         const u32 differs = a ^ (static_cast<i32>(a) < 0 ? ~0u : 0u);
         return differs ? static_cast<u32>(std::countl_zero(differs)) : ~0u;
       }>},
      {"s_bcnt1_i32_b32", k, 1, counted<[](u32 a, u32, bool) { return nonzero(static_cast<u32>(std::popcount(a))); }>},
      {"s_bcnt1_i32_b64", k, 1, count64<[](u64 a) { return static_cast<u32>(std::popcount(a)); }, true>},
      {"s_bcnt0_i32_b64", k, 1, count64<[](u64 a) { return static_cast<u32>(std::popcount(~a)); }, true>},
      {"s_sext_i32_i8", k, 1, quiet32<[](u32 a, u32) { return static_cast<u32>(static_cast<signed char>(a)); }>},
      {"s_sext_i32_i16", k, 1, quiet32<[](u32 a, u32) { return static_cast<u32>(static_cast<i16>(a)); }>},
      {"s_pack_ll_b32_b16", k, 1, quiet32<[](u32 a, u32 b) { return (a & 0xffff) | b << 16; }>},
      {"s_pack_lh_b32_b16", k, 1, quiet32<[](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000u); }>},
      {"s_pack_hh_b32_b16", k, 1, quiet32<[](u32 a, u32 b) { return (a >> 16) | (b & 0xffff0000u); }>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
