// Vector comparisons: a lane mask, zero outside of EXEC. v_cmpx writes it to EXEC as well.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

void put_truth(executor& e, const instruction& i, u64 truth, u64 defined, bool to_exec) {
  const u64 active = e.exec(), known = (defined | ~active) & ~e.w().doubtful();
  e.put_mask(i, 0, truth, defined);
  if (to_exec) e.w().set_exec(truth & active, known);
}

template <auto F, bool Exec>
void compare_f32(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0), b = e.f32(i, 1);
  put_truth(e, i, lane_mask([&](int l) { return F(a.at[l], b.at[l]); }), a.defined & b.defined, Exec);
}
template <auto F, bool Exec>
void compare_f16(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0), b = e.f16(i, 1);
  put_truth(e, i, lane_mask([&](int l) { return F(a.at[l], b.at[l]); }), a.defined & b.defined, Exec);
}
template <auto F, bool Exec>
void compare_f64(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0), b = e.f64(i, 1);
  put_truth(e, i, lane_mask([&](int l) { return F(a.at[l], b.at[l]); }), a.defined & b.defined, Exec);
}
template <auto F, bool Exec, class T>
void compare_32(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = e.raw(i, 1);
  const u64 truth = lane_mask([&](int l) { return F(static_cast<T>(a.at[l]), static_cast<T>(b.at[l])); });
  put_truth(e, i, truth, a.defined() & b.defined(), Exec);
}
template <auto F, bool Exec, class T>
void compare_16(executor& e, const instruction& i) {
  const lanes32 a = e.u16_source(i, 0), b = e.u16_source(i, 1);
  const u64 truth = lane_mask([&](int l) { return F(static_cast<T>(a.at[l]), static_cast<T>(b.at[l])); });
  put_truth(e, i, truth, a.defined() & b.defined(), Exec);
}
template <auto F, bool Exec, class T>
void compare_64(executor& e, const instruction& i) {
  const lanes_u64 a = e.u64_source(i, 0), b = e.u64_source(i, 1);
  const u64 truth = lane_mask([&](int l) { return F(static_cast<T>(a.at[l]), static_cast<T>(b.at[l])); });
  put_truth(e, i, truth, a.defined() & b.defined(), Exec);
}

// Bits of v_cmp_class: signaling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
u32 class_of(bool negative, bool nan, bool quiet, bool infinite, bool zero, bool small) {
  if (nan) return quiet ? 2 : 1;
  const int away = infinite ? 3 : small ? 1 : zero ? 0 : 2;  // from zero
  return 1u << (negative ? 5 - away : 6 + away);
}
u32 class_of_f32(u32 bits) {
  const u32 size = bits & 0x7fffffff;
  return class_of(bits >> 31, 0x7f800000 < size, bits & 0x400000, size == 0x7f800000, size == 0,
                  size < 0x800000 && size);
}
u32 class_of_f16(u32 bits) {
  const u32 size = bits & 0x7fff;
  return class_of(bits >> 15 & 1, 0x7c00 < size, bits & 0x200, size == 0x7c00, size == 0, size < 0x400 && size);
}
u32 class_of_f64(u64 bits) {
  const u64 size = bits << 1 >> 1, infinity = u64{0x7ff} << 52;
  return class_of(bits >> 63, infinity < size, bits >> 51 & 1, size == infinity, size == 0,
                  size < u64{1} << 52 && size);
}

// The bits of the source as they are: MODE flushes nothing here.
template <bool Exec>
void class_f32(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), wanted = e.raw(i, 1);
  const operand& o = i.source[0];
  const u32 keep = o.absolute ? 0x7fffffffu : ~0u, flip = o.negate ? 0x80000000u : 0;
  const u64 truth = lane_mask([&](int l) { return (class_of_f32((a.at[l] & keep) ^ flip) & wanted.at[l]) != 0; });
  put_truth(e, i, truth, a.defined() & wanted.defined(), Exec);
}
template <bool Exec>
void class_f16(executor& e, const instruction& i) {
  const lanes32 a = e.u16_source(i, 0), wanted = e.raw(i, 1);
  const operand& o = i.source[0];
  const u32 keep = o.absolute ? 0x7fffu : 0xffffu, flip = o.negate ? 0x8000u : 0;
  const u64 truth = lane_mask([&](int l) { return (class_of_f16((a.at[l] & keep) ^ flip) & wanted.at[l]) != 0; });
  put_truth(e, i, truth, a.defined() & wanted.defined(), Exec);
}
template <bool Exec>
void class_f64(executor& e, const instruction& i) {
  const lanes_u64 a = e.u64_source(i, 0);
  const lanes32 wanted = e.raw(i, 1);
  const operand& o = i.source[0];
  const u64 keep = o.absolute ? ~u64{0} >> 1 : ~u64{0}, flip = o.negate ? u64{1} << 63 : 0;
  const u64 truth = lane_mask([&](int l) { return (class_of_f64((a.at[l] & keep) ^ flip) & wanted.at[l]) != 0; });
  put_truth(e, i, truth, a.defined() & wanted.defined(), Exec);
}

template <auto F, bool Exec>
void add_floats(opcode_rows& rows, const std::string& name) {
  constexpr op_class k = op_class::valu;
  const std::string stem = std::string(Exec ? "v_cmpx_" : "v_cmp_") + name;
  rows.push_back({stem + "_f32", k, 1, compare_f32<F, Exec>});
  rows.push_back({stem + "_f16", k, 1, compare_f16<F, Exec>, literal::f16});
  rows.push_back({stem + "_f64", k, 1, compare_f64<F, Exec>, literal::f64});
}
template <auto F, bool Exec>
void add_integers(opcode_rows& rows, const std::string& name) {
  constexpr op_class k = op_class::valu;
  const std::string stem = std::string(Exec ? "v_cmpx_" : "v_cmp_") + name;
  rows.push_back({stem + "_i32", k, 1, compare_32<F, Exec, i32>});
  rows.push_back({stem + "_u32", k, 1, compare_32<F, Exec, u32>});
  rows.push_back({stem + "_i16", k, 1, compare_16<F, Exec, i16>});
  rows.push_back({stem + "_u16", k, 1, compare_16<F, Exec, u16>});
  rows.push_back({stem + "_i64", k, 1, compare_64<F, Exec, i64>});
  rows.push_back({stem + "_u64", k, 1, compare_64<F, Exec, u64>});
}

constexpr auto unordered = [](auto a, auto b) { return a != a || b != b; };

template <bool Exec>
void add_all(opcode_rows& rows) {
  add_floats<[](auto, auto) { return false; }, Exec>(rows, "f");
  add_floats<[](auto a, auto b) { return a < b; }, Exec>(rows, "lt");
  add_floats<[](auto a, auto b) { return a == b; }, Exec>(rows, "eq");
  add_floats<[](auto a, auto b) { return a <= b; }, Exec>(rows, "le");
  add_floats<[](auto a, auto b) { return b < a; }, Exec>(rows, "gt");
  add_floats<[](auto a, auto b) { return a < b || b < a; }, Exec>(rows, "lg");
  add_floats<[](auto a, auto b) { return b <= a; }, Exec>(rows, "ge");
  add_floats<[](auto a, auto b) { return !unordered(a, b); }, Exec>(rows, "o");
  add_floats<[](auto a, auto b) { return unordered(a, b); }, Exec>(rows, "u");
  add_floats<[](auto a, auto b) { return !(b <= a); }, Exec>(rows, "nge");
  add_floats<[](auto a, auto b) { return !(a < b || b < a); }, Exec>(rows, "nlg");
  add_floats<[](auto a, auto b) { return !(b < a); }, Exec>(rows, "ngt");
  add_floats<[](auto a, auto b) { return !(a <= b); }, Exec>(rows, "nle");
  add_floats<[](auto a, auto b) { return !(a == b); }, Exec>(rows, "neq");
  add_floats<[](auto a, auto b) { return !(a < b); }, Exec>(rows, "nlt");
  add_floats<[](auto, auto) { return true; }, Exec>(rows, "tru");
  add_integers<[](auto, auto) { return false; }, Exec>(rows, "f");
  add_integers<[](auto a, auto b) { return a < b; }, Exec>(rows, "lt");
  add_integers<[](auto a, auto b) { return a == b; }, Exec>(rows, "eq");
  add_integers<[](auto a, auto b) { return a <= b; }, Exec>(rows, "le");
  add_integers<[](auto a, auto b) { return b < a; }, Exec>(rows, "gt");
  add_integers<[](auto a, auto b) { return a != b; }, Exec>(rows, "ne");
  add_integers<[](auto a, auto b) { return b <= a; }, Exec>(rows, "ge");
  add_integers<[](auto, auto) { return true; }, Exec>(rows, "t");
  const std::string stem = Exec ? "v_cmpx_class_" : "v_cmp_class_";
  rows.push_back({stem + "f32", op_class::valu, 1, class_f32<Exec>});
  rows.push_back({stem + "f16", op_class::valu, 1, class_f16<Exec>, literal::f16});
  rows.push_back({stem + "f64", op_class::valu, 1, class_f64<Exec>, literal::f64});
}

}  // namespace

void add_compare_opcodes(opcode_rows& rows) {
  add_all<false>(rows);
  add_all<true>(rows);
}

}  // namespace rowsmith::gcn
