// executor: runs waves of one block, instruction by instruction. Handlers in opcodes_….cpp are written in its terms:
// fetch sources, compute lane by lane, put results.
#pragma once

#include <string>

#include "instruction.h"
#include "lds.h"
#include "memory_map.h"
#include "numbers.h"
#include "wave.h"

namespace rowsmith::gcn {

class image;

// MODE at the start of a kernel, from its descriptor. Rounding is to nearest; nothing else is launched.
struct float_mode {
  bool f32_denormal_sources = true, f32_denormal_results = true;
  bool f16_denormal_sources = true, f16_denormal_results = true;  // f64 as well
  bool ieee = true;       // minimum and maximum answer a signaling NaN with a quiet one
  bool clamp_nan = true;  // clamp makes NaN zero
};

struct execution_options {
  bool perturb = false;
  u64 seed = 0;
};

// Values by lane, and which of them are defined.
struct lanes32 {
  const u32* at;
  u64 low, high;  // lanes whose low, high 16 bits are defined
  u64 defined() const { return low & high; }
};
struct lanes_f32 {
  const float* at;
  u64 defined;
};
struct lanes_u64 {
  const u64* at;
  u64 low, high;  // lanes whose low, high 32 bits are defined
  u64 defined() const { return low & high; }
};
struct lanes_f64 {
  const double* at;
  u64 defined;
};
// A scalar with its defined bits.
struct scalar_value {
  u64 bits;
  u64 defined;
  bool known(u64 mask) const { return (defined & mask) == mask; }
};

class executor {
 public:
  executor(const image& code, const memory_snapshot& memory, lds& shared, float_mode mode, execution_options options)
      : code_(code), memory_(memory), lds_(shared), mode_(mode), options_(options) {}

  // Runs until a barrier, the end or a fault.
  wave_state run(wave& w, counts& executed);
  const rowsmith::status& fault() const { return fault_; }

  // --- for handlers: the wave ---
  rowsmith::gcn::wave& w() { return *wave_; }
  u64 exec() const { return wave_->exec(); }
  const float_mode& mode() const { return mode_; }
  const execution_options& options() const { return options_; }
  rowsmith::gcn::lds& shared() { return lds_; }
  const memory_snapshot& memory() const { return memory_; }
  void jump(int index) { wave_->next = index; }
  void jump_address(const instruction& i, u64 address);
  u64 address_after(const instruction& i) const;
  void stop(wave_state s) { wave_->state = s; }
  void fail(const instruction& i, code c, const std::string& what);
  void fault_at(const instruction& i, const std::string& what) { fail(i, code::device_error, what); }
  void undefined(const instruction& i, const std::string& use);

  // --- sources ---
  // `dword`: which register of a tuple.
  lanes32 raw(const instruction& i, int n, int dword = 0) {
    const operand& o = i.source[n];
    if (o.is_vector() && i.plain()) [[likely]] {
      const int r = o.index + dword;
      return {wave_->v[r], wave_->low_written[r], wave_->high_written[r]};
    }
    return raw_slow(i, n, dword);
  }
  lanes_f32 f32(const instruction& i, int n) {
    const lanes32 from = raw(i, n);
    const operand& o = i.source[n];
    if (!o.negate && !o.absolute && mode_.f32_denormal_sources) [[likely]] {
      return {reinterpret_cast<const float*>(from.at), from.defined()};
    }
    return f32_modified(i, n, from);
  }
  lanes_f32 f16(const instruction& i, int n);       // halves, as floats
  lanes32 u16_source(const instruction& i, int n);  // in the low half; the high half is zero
  lanes_u64 u64_source(const instruction& i, int n);
  lanes_f64 f64(const instruction& i, int n);
  scalar_value scalar(const instruction& i, int n);    // 32 bits
  scalar_value scalar64(const instruction& i, int n);  // a pair of registers

  // --- results ---
  u32* scratch() { return result_.at; }
  u32* scratch_high() { return result_high_.at; }
  // Lanes outside of EXEC keep what they held.
  void put(const instruction& i, const u32* value, u64 low, u64 high, int dword = 0);
  void put(const instruction& i, const u32* value, u64 defined) { put(i, value, defined, defined); }
  void put_f32(const instruction& i, u32* value, u64 defined, int dword = 0);
  // A half in the low bits of `value`; where `keeps` is set, the other half of the register stays.
  void put16(const instruction& i, u32* value, u64 defined, bool keeps);
  void put_f16(const instruction& i, float* value, u64 defined, bool keeps);
  void put_f64(const instruction& i, double* value, u64 defined);
  void put_u64(const instruction& i, const u64* value, u64 low, u64 high);
  // A lane mask, zero outside of EXEC.
  void put_mask(const instruction& i, int n, u64 mask, u64 defined);
  void put_scalar(const instruction& i, int n, u32 value, u32 defined);
  void put_scalar64(const instruction& i, int n, u64 value, u64 defined);
  void put_scc(bool value, bool defined) {
    wave_->scc = value;
    wave_->scc_written = defined;
  }

 private:
  lanes32 raw_slow(const instruction& i, int n, int dword);
  lanes32 moved(const instruction& i, lanes32 from, u32* into);
  lanes32 selected(const operand& o, lanes32 from, u32* into);
  lanes_f32 f32_modified(const instruction& i, int n, const lanes32& from);
  void put_part(const instruction& i, const u32* value, u64 low, u64 high, u64 mask);
  void write_scalar(int at, u32 value, u32 defined);
  float output_modified(const instruction& i, float value) const;

  const image& code_;
  const memory_snapshot& memory_;
  rowsmith::gcn::lds& lds_;
  float_mode mode_;
  execution_options options_;
  rowsmith::gcn::wave* wave_ = nullptr;
  rowsmith::status fault_;
  u64 moved_lanes_ = k_every_lane;  // of the last DPP source: lanes that may be written
  lanes_of<u32> source_[4][2];
  lanes_of<u32> converted_[4];
  lanes_of<u64> wide_[4];
  lanes_of<u32> result_, result_high_;
};

}  // namespace rowsmith::gcn
