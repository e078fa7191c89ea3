// handlers: from a function of one lane to a handler of one opcode. A table row is written as
//   {"v_add_f32", op_class::valu, 1, f32_op<2, [](float a, float b) { return a + b; }>}
#pragma once

#include "executor.h"
#include "opcode.h"

namespace rowsmith::gcn {

// Applies F to N sources, each an array by lane.
template <int N, auto F, class Result, class Source>
inline void apply(Result* r, const Source& a, const Source& b, const Source& c) {
  if constexpr (N == 1) each_lane([&](int l) { r[l] = F(a[l]); });
  if constexpr (N == 2) each_lane([&](int l) { r[l] = F(a[l], b[l]); });
  if constexpr (N == 3) each_lane([&](int l) { r[l] = F(a[l], b[l], c[l]); });
}

// u32 to u32.
template <int N, auto F>
void u32_op(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = N > 1 ? e.raw(i, 1) : a, c = N > 2 ? e.raw(i, 2) : a;
  u32* r = e.scratch();
  apply<N, F>(r, a.at, b.at, c.at);
  e.put(i, r, a.defined() & b.defined() & c.defined());
}

// i32 to i32; what overflows wraps.
template <int N, auto F>
void i32_op(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0), b = N > 1 ? e.raw(i, 1) : a, c = N > 2 ? e.raw(i, 2) : a;
  u32* r = e.scratch();
  const auto as_signed = [](const lanes32& x) { return reinterpret_cast<const i32*>(x.at); };
  apply<N, F>(reinterpret_cast<i32*>(r), as_signed(a), as_signed(b), as_signed(c));
  e.put(i, r, a.defined() & b.defined() & c.defined());
}

template <int N, auto F>
void f32_op(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0), b = N > 1 ? e.f32(i, 1) : a, c = N > 2 ? e.f32(i, 2) : a;
  u32* r = e.scratch();
  apply<N, F>(reinterpret_cast<float*>(r), a.at, b.at, c.at);
  e.put_f32(i, r, a.defined & b.defined & c.defined);
}

// Halves are computed as floats: +, -, * and comparisons of halves round right that way.
template <int N, auto F, bool Keeps = false>
void f16_op(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0), b = N > 1 ? e.f16(i, 1) : a, c = N > 2 ? e.f16(i, 2) : a;
  float* r = reinterpret_cast<float*>(e.scratch());
  apply<N, F>(r, a.at, b.at, c.at);
  e.put_f16(i, r, a.defined & b.defined & c.defined, Keeps);
}

template <int N, auto F>
void f64_op(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0), b = N > 1 ? e.f64(i, 1) : a, c = N > 2 ? e.f64(i, 2) : a;
  lanes_of<double> r;
  apply<N, F>(r.at, a.at, b.at, c.at);
  e.put_f64(i, r.at, a.defined & b.defined & c.defined);
}

// Of 16 bits, zero-extended, to the low 16 bits.
template <int N, auto F, bool Keeps = false>
void u16_op(executor& e, const instruction& i) {
  const lanes32 a = e.u16_source(i, 0), b = N > 1 ? e.u16_source(i, 1) : a, c = N > 2 ? e.u16_source(i, 2) : a;
  u32* r = e.scratch();
  apply<N, F>(r, a.at, b.at, c.at);
  e.put16(i, r, a.defined() & b.defined() & c.defined(), Keeps);
}

}  // namespace rowsmith::gcn
