// executor: how results are written. Output scale, clamp and denormals first, then EXEC, DPP's lanes and SDWA's part.
#include <cstring>

#include "executor.h"

namespace rowsmith::gcn {
namespace {

// The lanes' bits, as masks of whole words: vector code has no use for single bits.
inline void blend(u32* into, const u32* value, u64 mask) {
  if (mask == k_every_lane) {
    std::memmove(into, value, k_lanes * sizeof(u32));
    return;
  }
  each_lane([&](int l) { into[l] = (mask >> l & 1) ? value[l] : into[l]; });
}

}  // namespace

void executor::put(const instruction& i, const u32* value, u64 low, u64 high, int dword) {
  u64 mask = exec();
  if (i.moves != nullptr) mask &= moved_lanes_;
  if (i.sdwa && i.result_part != part::dword) return put_part(i, value, low, high, mask);
  const int r = i.result[0].index + dword;
  blend(wave_->v[r], value, mask);
  wave_->mark(r, mask, low, high);
}

void executor::put_part(const instruction& i, const u32* value, u64 low, u64, u64 mask) {
  const int r = i.result[0].index;
  u32* into = wave_->v[r];
  const bool byte = i.result_part < part::word_0;
  const int at = static_cast<int>(i.result_part);
  const int shift = byte ? 8 * at : i.result_part == part::word_1 ? 16 : 0;
  const u32 width = byte ? 0xff : 0xffff;
  lanes_of<u32> made;
  each_lane([&](int l) {
    const u32 field = (value[l] & width) << shift;
    u32 whole = field;
    if (i.rest == unused_part::preserve) whole = (into[l] & ~(width << shift)) | field;
    if (i.rest == unused_part::sign_extend) {
      whole = static_cast<u32>(byte ? static_cast<i32>(static_cast<signed char>(value[l])) : static_cast<i16>(value[l]))
              << shift;
    }
    made.at[l] = whole;
  });
  blend(into, made.at, mask);
  // A byte that joins an undefined one leaves the half undefined.
  const bool upper = shift >= 16, keeps = i.rest == unused_part::preserve;
  const u64 was_low = wave_->low_written[r], was_high = wave_->high_written[r];
  const u64 other_byte = byte && keeps ? (upper ? was_high : was_low) : k_every_lane;
  const u64 part_defined = low & other_byte;
  const u64 now_low = upper ? (keeps ? was_low : k_every_lane) : part_defined;
  const u64 now_high = upper ? part_defined : (keeps ? was_high : k_every_lane);
  wave_->mark(r, mask, now_low, now_high);
}

float executor::output_modified(const instruction& i, float value) const {
  value *= i.scale;
  if (!i.clamp) return value;
  if (is_nan(value)) return mode_.clamp_nan ? 0.0f : value;
  return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
}

void executor::put_f32(const instruction& i, u32* value, u64 defined, int dword) {
  if (i.clamp || i.scale != 1) each_lane([&](int l) { value[l] = as_u32(output_modified(i, as_f32(value[l]))); });
  if (!mode_.f32_denormal_results) each_lane([&](int l) { value[l] = as_u32(flush(as_f32(value[l]))); });
  put(i, value, defined, defined, dword);
}

void executor::put16(const instruction& i, u32* value, u64 defined, bool keeps) {
  const int r = i.result[0].index;
  const bool upper = i.high_half >> i.sources & 1;
  if (i.sdwa && i.result_part != part::dword) return put(i, value, defined, defined);
  const u32* was = wave_->v[r];
  const u64 was_low = wave_->low_written[r], was_high = wave_->high_written[r];
  if (upper) {
    each_lane([&](int l) { value[l] = (was[l] & 0xffff) | value[l] << 16; });
    return put(i, value, was_low, defined);
  }
  if (keeps) {
    each_lane([&](int l) { value[l] = (was[l] & 0xffff0000u) | (value[l] & 0xffff); });
    return put(i, value, defined, was_high);
  }
  each_lane([&](int l) { value[l] &= 0xffff; });
  put(i, value, defined, k_every_lane);
}

void executor::put_f16(const instruction& i, float* value, u64 defined, bool keeps) {
  if (i.clamp || i.scale != 1) each_lane([&](int l) { value[l] = output_modified(i, value[l]); });
  u32* half = result_.at;
  const u32 smallest = mode_.f16_denormal_results ? 0 : 0x0400;
  each_lane([&](int l) {
    const u32 h = float_to_half(value[l]);
    half[l] = (h & 0x7fff) < smallest ? h & 0x8000 : h;
  });
  put16(i, half, defined, keeps);
}

void executor::put_u64(const instruction& i, const u64* value, u64 low, u64 high) {
  each_lane([&](int l) { result_.at[l] = static_cast<u32>(value[l]); });
  each_lane([&](int l) { result_high_.at[l] = static_cast<u32>(value[l] >> 32); });
  put(i, result_.at, low, low, 0);
  put(i, result_high_.at, high, high, 1);
}

void executor::put_f64(const instruction& i, double* value, u64 defined) {
  each_lane([&](int l) {
    double x = value[l] * i.scale;
    if (i.clamp) x = x != x ? (mode_.clamp_nan ? 0 : x) : x > 0 ? (x < 1 ? x : 1.0) : 0;
    if (!mode_.f16_denormal_results && (as_u64(x) >> 52 & 0x7ff) == 0) x = as_f64(as_u64(x) >> 63 << 63);
    value[l] = x;
  });
  put_u64(i, reinterpret_cast<const u64*>(value), defined, defined);
}

void executor::write_scalar(int at, u32 value, u32 defined) {
  wave_->s[at] = value;
  wave_->s_written[at] = defined;
}

void executor::put_mask(const instruction& i, int n, u64 mask, u64 defined) {
  const u64 active = exec();
  put_scalar64(i, n, mask & active, (defined | ~active) & ~wave_->doubtful());
}

void executor::put_scalar(const instruction& i, int n, u32 value, u32 defined) {
  write_scalar(i.result[n].index, value, defined);
}

void executor::put_scalar64(const instruction& i, int n, u64 value, u64 defined) {
  const int at = i.result[n].index;
  write_scalar(at, static_cast<u32>(value), static_cast<u32>(defined));
  write_scalar(at + 1, static_cast<u32>(value >> 32), static_cast<u32>(defined >> 32));
}

}  // namespace rowsmith::gcn
