// executor: how sources are fetched. DPP moves and SDWA selects first, then absolute value and sign, then denormals.
#include "executor.h"

namespace rowsmith::gcn {

lanes32 executor::moved(const instruction& i, lanes32 from, u32* into) {
  const lane_moves& m = *i.moves;
  const u64 exec = this->exec();
  u64 there = m.inside, low = 0, high = 0;
  lanes_of<u32> copy;
  for (int l = 0; l < k_lanes; ++l) {
    const int source = m.from[l];
    copy.at[l] = from.at[source];
    there &= ~(u64{!(exec >> source & 1)} << l);  // a lane that EXEC has off is not there to be read
    low |= (from.low >> source & 1) << l;
    high |= (from.high >> source & 1) << l;
  }
  each_lane([&](int l) { into[l] = (there >> l & 1) ? copy.at[l] : 0; });
  moved_lanes_ = m.enabled & (m.zero_fill ? k_every_lane : there);
  return {into, low | ~there, high | ~there};
}

lanes32 executor::selected(const operand& o, lanes32 from, u32* into) {
  const int at = static_cast<int>(o.select);
  if (o.select < part::word_0) {
    const int shift = 8 * at;
    if (o.sign_extend) {
      each_lane([&](int l) { into[l] = static_cast<u32>(static_cast<i32>(from.at[l] << (24 - shift)) >> 24); });
    } else {
      each_lane([&](int l) { into[l] = from.at[l] >> shift & 0xff; });
    }
  } else {
    const int shift = o.select == part::word_1 ? 16 : 0;
    if (o.sign_extend) {
      each_lane([&](int l) { into[l] = static_cast<u32>(static_cast<i32>(from.at[l] << (16 - shift)) >> 16); });
    } else {
      each_lane([&](int l) { into[l] = from.at[l] >> shift & 0xffff; });
    }
  }
  const bool upper = o.select == part::word_1 || o.select == part::byte_2 || o.select == part::byte_3;
  const u64 defined = upper ? from.high : from.low;
  return {into, defined, defined};
}

lanes32 executor::raw_slow(const instruction& i, int n, int dword) {
  const operand& o = i.source[n];
  u32* into = source_[n][dword & 1].at;
  lanes32 from{into, 0, 0};
  if (o.is_vector()) {
    const int r = o.index + dword;
    from = {wave_->v[r], wave_->low_written[r], wave_->high_written[r]};
  } else {
    u32 value = static_cast<u32>(o.value >> (32 * dword)), written = ~0u;
    if (o.is_scalar()) {
      value = wave_->s[o.index + dword];
      written = wave_->s_written[o.index + dword];
    }
    each_lane([&](int l) { into[l] = value; });
    from.low = (written & 0xffff) == 0xffff ? k_every_lane : 0;
    from.high = written >> 16 == 0xffff ? k_every_lane : 0;
  }
  if (n == 0 && i.moves != nullptr) from = moved(i, from, into);
  if (i.sdwa && o.select != part::dword) from = selected(o, from, into);
  return from;
}

lanes_f32 executor::f32_modified(const instruction& i, int n, const lanes32& from) {
  const operand& o = i.source[n];
  const u32 keep = o.absolute ? 0x7fffffffu : ~0u, flip = o.negate ? 0x80000000u : 0;
  float* into = reinterpret_cast<float*>(converted_[n].at);
  if (mode_.f32_denormal_sources) {
    each_lane([&](int l) { into[l] = as_f32((from.at[l] & keep) ^ flip); });
  } else {
    each_lane([&](int l) { into[l] = flush(as_f32((from.at[l] & keep) ^ flip)); });
  }
  return {into, from.defined()};
}

lanes_f32 executor::f16(const instruction& i, int n) {
  const lanes32 from = raw(i, n);
  const operand& o = i.source[n];
  const bool upper = i.high_half >> n & 1;
  const int shift = upper ? 16 : 0;
  const u32 keep = o.absolute ? 0x7fff : 0xffff, flip = o.negate ? 0x8000 : 0;
  float* into = reinterpret_cast<float*>(converted_[n].at);
  if (mode_.f16_denormal_sources) {
    each_lane([&](int l) { into[l] = half_to_float((from.at[l] >> shift & keep) ^ flip); });
  } else {
    each_lane([&](int l) { into[l] = flush_half(half_to_float((from.at[l] >> shift & keep) ^ flip)); });
  }
  return {into, upper ? from.high : from.low};
}

lanes32 executor::u16_source(const instruction& i, int n) {
  const lanes32 from = raw(i, n);
  const bool upper = i.high_half >> n & 1;
  const int shift = upper ? 16 : 0;
  u32* into = converted_[n].at;
  each_lane([&](int l) { into[l] = from.at[l] >> shift & 0xffff; });
  const u64 defined = upper ? from.high : from.low;
  return {into, defined, defined};
}

lanes_u64 executor::u64_source(const instruction& i, int n) {
  const lanes32 low = raw(i, n, 0);
  const lanes32 high = raw(i, n, 1);
  u64* into = wide_[n].at;
  each_lane([&](int l) { into[l] = low.at[l] | u64{high.at[l]} << 32; });
  return {into, low.defined(), high.defined()};
}

lanes_f64 executor::f64(const instruction& i, int n) {
  const lanes_u64 from = u64_source(i, n);
  const operand& o = i.source[n];
  const u64 keep = o.absolute ? ~u64{0} >> 1 : ~u64{0}, flip = o.negate ? u64{1} << 63 : 0;
  u64* into = wide_[n].at;
  each_lane([&](int l) { into[l] = (from.at[l] & keep) ^ flip; });
  if (!mode_.f16_denormal_sources) {
    each_lane([&](int l) { into[l] = (into[l] >> 52 & 0x7ff) == 0 ? into[l] >> 63 << 63 : into[l]; });
  }
  return {reinterpret_cast<const double*>(into), from.defined()};
}

scalar_value executor::scalar(const instruction& i, int n) {
  const operand& o = i.source[n];
  if (o.is_scalar()) return {wave_->s[o.index], wave_->s_written[o.index]};
  return {o.value & 0xffffffffu, 0xffffffffu};
}

scalar_value executor::scalar64(const instruction& i, int n) {
  const operand& o = i.source[n];
  if (!o.is_scalar()) return {o.value, ~u64{0}};
  return {wave_->s[o.index] | u64{wave_->s[o.index + 1]} << 32,
          wave_->s_written[o.index] | u64{wave_->s_written[o.index + 1]} << 32};
}

}  // namespace rowsmith::gcn
