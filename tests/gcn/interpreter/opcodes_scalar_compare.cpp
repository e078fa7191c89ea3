// Scalar comparisons: SCC is all they write.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

template <auto F>
void compare32(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0), b = e.scalar(i, 1);
  e.put_scc(F(static_cast<u32>(a.bits), static_cast<u32>(b.bits)), a.known(0xffffffffu) && b.known(0xffffffffu));
}

template <auto F>
void compare64(executor& e, const instruction& i) {
  const scalar_value a = e.scalar64(i, 0), b = e.scalar64(i, 1);
  e.put_scc(F(a.bits, b.bits), a.known(~u64{0}) && b.known(~u64{0}));
}

template <auto F, bool Signed>
void compare_constant(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0);
  const u32 b = Signed ? static_cast<u32>(i.immediate()) : i.word & 0xffff;
  e.put_scc(F(static_cast<u32>(a.bits), b), a.known(0xffffffffu));
}

template <bool Is>
void test_bit(executor& e, const instruction& i) {
  const scalar_value a = e.scalar(i, 0), at = e.scalar(i, 1);
  const u64 bit = u64{1} << (at.bits & 31);
  e.put_scc(((a.bits & bit) != 0) == Is, a.known(bit) && at.known(31));
}

template <auto F>
constexpr auto as_signed = [](u32 a, u32 b) { return F(static_cast<i32>(a), static_cast<i32>(b)); };

template <auto F>
void add_relation(opcode_rows& rows, const std::string& relation) {
  constexpr op_class k = op_class::salu;
  rows.push_back({"s_cmp_" + relation + "_i32", k, 0, compare32<as_signed<F>>});
  rows.push_back({"s_cmp_" + relation + "_u32", k, 0, compare32<F>});
  rows.push_back({"s_cmpk_" + relation + "_i32", k, 0, compare_constant<as_signed<F>, true>});
  rows.push_back({"s_cmpk_" + relation + "_u32", k, 0, compare_constant<F, false>});
}

}  // namespace

void add_scalar_compare_opcodes(opcode_rows& rows) {
  add_relation<[](auto a, auto b) { return a == b; }>(rows, "eq");
  add_relation<[](auto a, auto b) { return a != b; }>(rows, "lg");
  add_relation<[](auto a, auto b) { return b < a; }>(rows, "gt");
  add_relation<[](auto a, auto b) { return b <= a; }>(rows, "ge");
  add_relation<[](auto a, auto b) { return a < b; }>(rows, "lt");
  add_relation<[](auto a, auto b) { return a <= b; }>(rows, "le");
  rows.push_back({"s_cmp_eq_u64", op_class::salu, 0, compare64<[](u64 a, u64 b) { return a == b; }>});
  rows.push_back({"s_cmp_lg_u64", op_class::salu, 0, compare64<[](u64 a, u64 b) { return a != b; }>});
  rows.push_back({"s_bitcmp0_b32", op_class::salu, 0, test_bit<false>});
  rows.push_back({"s_bitcmp1_b32", op_class::salu, 0, test_bit<true>});
}

}  // namespace rowsmith::gcn
