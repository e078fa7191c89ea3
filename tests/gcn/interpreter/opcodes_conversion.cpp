// Conversions between floats of all sizes, integers and bytes. To an integer: toward zero, saturated, NaN is zero.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

// From a half, in either half of the source, to f32.
void f32_from_f16(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = as_u32(a.at[l]); });
  e.put_f32(i, r, a.defined);
}
void f16_from_f32(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0);
  float* r = reinterpret_cast<float*>(e.scratch());
  each_lane([&](int l) { r[l] = a.at[l]; });
  e.put_f16(i, r, a.defined, false);
}

template <auto F>
void f32_from_integer(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = as_u32(F(a.at[l])); });
  e.put_f32(i, r, a.defined());
}

template <auto F>
void integer_from_f32(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = static_cast<u32>(F(a.at[l])); });
  e.put(i, r, a.defined);
}

template <int Byte>
void f32_from_byte(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = as_u32(static_cast<float>(static_cast<i32>(a.at[l] >> (8 * Byte) & 0xff))); });
  e.put_f32(i, r, Byte < 2 ? a.low : a.high);
}

template <bool Signed>
void f16_from_integer(executor& e, const instruction& i) {
  const lanes32 a = e.u16_source(i, 0);
  float* r = reinterpret_cast<float*>(e.scratch());
  each_lane([&](int l) {
    r[l] = Signed ? static_cast<float>(static_cast<i16>(a.at[l])) : static_cast<float>(static_cast<i32>(a.at[l]));
  });
  e.put_f16(i, r, a.defined(), false);
}
template <class To>
void integer_from_f16(executor& e, const instruction& i) {
  const lanes_f32 a = e.f16(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = static_cast<u16>(saturate<To>(a.at[l])); });
  e.put16(i, r, a.defined, false);
}

template <class To>
void from_f64(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = static_cast<u32>(saturate<To>(a.at[l])); });
  e.put(i, r, a.defined);
}
void f32_from_f64(executor& e, const instruction& i) {
  const lanes_f64 a = e.f64(i, 0);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = as_u32(static_cast<float>(a.at[l])); });
  e.put_f32(i, r, a.defined);
}
void f64_from_f32(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0);
  lanes_of<double> r;
  each_lane([&](int l) { r.at[l] = a.at[l]; });
  e.put_f64(i, r.at, a.defined);
}
template <class From>
void f64_from_integer(executor& e, const instruction& i) {
  const lanes32 a = e.raw(i, 0);
  lanes_of<double> r;
  each_lane([&](int l) { r.at[l] = static_cast<From>(a.at[l]); });
  e.put_f64(i, r.at, a.defined());
}

// Two values into the halves of one register.
template <auto F>
void packed_from_f32(executor& e, const instruction& i) {
  const lanes_f32 a = e.f32(i, 0), b = e.f32(i, 1);
  u32* r = e.scratch();
  each_lane([&](int l) { r[l] = (F(a.at[l]) & 0xffff) | F(b.at[l]) << 16; });
  e.put(i, r, a.defined, b.defined);
}

constexpr auto rounded = [](float a) { return saturate<i32>(std::floor(a + 0.5f)); };

}  // namespace

void add_conversion_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::valu;
  constexpr literal f16 = literal::f16, f64 = literal::f64;
  const opcode group[] = {
      {"v_cvt_f32_f16", k, 1, f32_from_f16, f16},
      {"v_cvt_f16_f32", k, 1, f16_from_f32},
      {"v_cvt_f32_i32", k, 1, f32_from_integer<[](u32 a) { return static_cast<float>(static_cast<i32>(a)); }>},
      {"v_cvt_f32_u32", k, 1, f32_from_integer<[](u32 a) { return static_cast<float>(a); }>},
      {"v_cvt_i32_f32", k, 1, integer_from_f32<saturate<i32, float>>},
      {"v_cvt_u32_f32", k, 1, integer_from_f32<saturate<u32, float>>},
      {"v_cvt_rpi_i32_f32", k, 1, integer_from_f32<rounded>},
      {"v_cvt_flr_i32_f32", k, 1, integer_from_f32<[](float a) { return saturate<i32>(std::floor(a)); }>},
      {"v_cvt_f32_ubyte0", k, 1, f32_from_byte<0>},
      {"v_cvt_f32_ubyte1", k, 1, f32_from_byte<1>},
      {"v_cvt_f32_ubyte2", k, 1, f32_from_byte<2>},
      {"v_cvt_f32_ubyte3", k, 1, f32_from_byte<3>},
      {"v_cvt_f16_u16", k, 1, f16_from_integer<false>, f16},
      {"v_cvt_f16_i16", k, 1, f16_from_integer<true>, f16},
      {"v_cvt_u16_f16", k, 1, integer_from_f16<u16>, f16},
      {"v_cvt_i16_f16", k, 1, integer_from_f16<i16>, f16},
      {"v_cvt_f32_f64", k, 1, f32_from_f64, f64},
      {"v_cvt_f64_f32", k, 1, f64_from_f32},
      {"v_cvt_i32_f64", k, 1, from_f64<i32>, f64},
      {"v_cvt_u32_f64", k, 1, from_f64<u32>, f64},
      {"v_cvt_f64_i32", k, 1, f64_from_integer<i32>},
      {"v_cvt_f64_u32", k, 1, f64_from_integer<u32>},
      {"v_cvt_pkrtz_f16_f32", k, 1, packed_from_f32<float_to_half_toward_zero>},
      {"v_cvt_pknorm_i16_f32", k, 1, packed_from_f32<[](float a) {
         return static_cast<u32>(saturate<i32>(std::nearbyint(std::fmax(-1.0f, std::fmin(1.0f, a)) * 32767.0f)));
       }>},
      {"v_cvt_pknorm_u16_f32", k, 1, packed_from_f32<[](float a) {
         return static_cast<u32>(std::nearbyint(std::fmax(0.0f, std::fmin(1.0f, a)) * 65535.0f));
       }>},
      {"v_cvt_pk_u16_u32", k, 1,
       u32_op<2, [](u32 a, u32 b) { return (0xffff < a ? 0xffff : a) | (0xffff < b ? 0xffff : b) << 16; }>},
      {"v_cvt_pk_i16_i32", k, 1,
       u32_op<2,
              [](u32 a, u32 b) {
                const i32 x = static_cast<i32>(a), y = static_cast<i32>(b);
                const i32 low = x < -32768  ? -32768
                                : 32767 < x ? 32767
                                            : x,
                          high = y < -32768  ? -32768
                                 : 32767 < y ? 32767
                                             : y;
                return (static_cast<u32>(low) & 0xffff) | static_cast<u32>(high) << 16;
              }>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
