// LDS: loads, stores, atomics, and the moves between lanes that go through its crossbar without touching it.
#include <cstring>

#include "handlers.h"

namespace rowsmith::gcn {
namespace {

constexpr u64 k_all = k_every_lane;

void report(executor& e, const instruction& i, lds::fault f, u32 at, u32 size, int lane) {
  const std::string where =
      std::to_string(size) + " bytes at LDS byte " + std::to_string(at) + ", lane " + std::to_string(lane);
  switch (f) {
    case lds::fault::outside:
      return e.fault_at(i, "out of bounds: " + where + " of " + std::to_string(e.shared().size()));
    case lds::fault::misaligned:
      return e.fault_at(i, "misaligned: " + where);
    case lds::fault::undefined:
      return e.fault_at(i, "undefined LDS is read: " + where);
    case lds::fault::race:
      return e.fault_at(i, "missing barrier: " + where + ", touched by wave " + std::to_string(e.w().number) +
                               " and wave " + std::to_string(e.shared().other_wave()) + " of which one writes");
    case lds::fault::none:
      return;
  }
}

// The address of every active lane. False: a fault was reported.
bool addresses(executor& e, const instruction& i, lanes_of<u32>& at) {
  const lanes32 from = e.raw(i, 0);
  if ((e.exec() & ~from.defined()) != 0) {
    e.undefined(i, "used as an LDS address");
    return false;
  }
  std::memcpy(at.at, from.at, sizeof at.at);
  return true;
}

void set_lane(wave& w, int r, int lane, u32 value, bool low, bool high) {
  w.v[r][lane] = value;
  w.mark(r, u64{1} << lane, low ? k_all : 0, high ? k_all : 0);
}

void issue(executor& e, const instruction& i, int registers) {
  const bool loads = registers > 0;
  e.w().pending.issue(scoreboard::local_and_scalar,
                      loads ? scoreboard::source::lds_load : scoreboard::source::lds_store, i,
                      loads ? &i.result[0] : nullptr, registers);
}

// Reads `Bytes` at each address into consecutive registers from `first`.
template <int Bytes>
bool read_words(executor& e, const instruction& i, const lanes_of<u32>& at, i32 offset, int first) {
  wave& w = e.w();
  for (u64 rest = e.exec(); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    u32 words[Bytes / 4];
    bool written = false;
    const u32 address = at.at[lane] + static_cast<u32>(offset);
    if (const auto f = e.shared().load(address, Bytes, w.number, words, &written); f != lds::fault::none) {
      report(e, i, f, address, Bytes, lane);
      return false;
    }
    for (int n = 0; n < Bytes / 4; ++n) set_lane(w, first + n, lane, words[n], written, written);
  }
  return true;
}

template <int Bytes>
void read(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, at) || !read_words<Bytes>(e, i, at, i.offset, i.result[0].index)) return;
  issue(e, i, Bytes / 4);
}

// Two reads, each offset counted in `Unit` bytes.
template <int Bytes, int Unit>
void read_two(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, at)) return;
  const int first = i.result[0].index;
  if (!read_words<Bytes>(e, i, at, i.offset * Unit, first)) return;
  if (!read_words<Bytes>(e, i, at, i.offset_second * Unit, first + Bytes / 4)) return;
  issue(e, i, Bytes / 2);
}

enum class extend { zero, sign, low_half, high_half };

template <class T, extend How>
void read_small(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, at)) return;
  wave& w = e.w();
  const int r = i.result[0].index;
  for (u64 rest = e.exec(); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    T value;
    bool written = false;
    const u32 address = at.at[lane] + static_cast<u32>(i.offset);
    if (const auto f = e.shared().load(address, sizeof value, w.number, &value, &written); f != lds::fault::none) {
      return report(e, i, f, address, sizeof value, lane);
    }
    const u32 wide = static_cast<u32>(static_cast<i32>(value)), was = w.v[r][lane];
    const bool low = w.low_written[r] >> lane & 1, high = w.high_written[r] >> lane & 1;
    if (How == extend::low_half) set_lane(w, r, lane, (was & 0xffff0000u) | (wide & 0xffff), written, high);
    if (How == extend::high_half) set_lane(w, r, lane, (was & 0xffff) | wide << 16, low, written);
    if (How == extend::zero || How == extend::sign) set_lane(w, r, lane, wide, written, written);
  }
  issue(e, i, 1);
}

// Undefined values may be stored: the bytes stay undefined.
template <int Bytes>
bool write_words(executor& e, const instruction& i, const lanes_of<u32>& at, i32 offset, int source, int shift = 0) {
  wave& w = e.w();
  const int first = i.source[source].index;
  for (u64 rest = e.exec(); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    u32 words[(Bytes + 3) / 4];
    bool written = !(w.doubtful() >> lane & 1);
    for (int n = 0; n < (Bytes + 3) / 4; ++n) {
      words[n] = w.v[first + n][lane] >> shift;
      const bool low = w.low_written[first + n] >> lane & 1, high = w.high_written[first + n] >> lane & 1;
      written &= Bytes >= 4 ? low && high : shift ? high : low;
    }
    const u32 address = at.at[lane] + static_cast<u32>(offset);
    if (const auto f = e.shared().store(address, Bytes, w.number, words, written); f != lds::fault::none) {
      report(e, i, f, address, Bytes, lane);
      return false;
    }
  }
  return true;
}

template <int Bytes, int Shift = 0>
void write(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (addresses(e, i, at) && write_words<Bytes>(e, i, at, i.offset, 1, Shift)) issue(e, i, 0);
}

template <int Bytes, int Unit>
void write_two(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, at) || !write_words<Bytes>(e, i, at, i.offset * Unit, 1)) return;
  if (write_words<Bytes>(e, i, at, i.offset_second * Unit, 2)) issue(e, i, 0);
}

// F(old, operand); the old value is the result where the instruction has one.
template <auto F>
void atomic(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, at)) return;
  wave& w = e.w();
  const lanes32 operand = e.raw(i, 1);
  if ((w.doubtful() | (e.exec() & ~operand.defined())) != 0) return e.undefined(i, "added to LDS");
  for (u64 rest = e.exec(); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const u32 address = at.at[lane] + static_cast<u32>(i.offset);
    u8* word = nullptr;
    bool written = false;
    if (const auto f = e.shared().update(address, 4, w.number, &word, &written); f != lds::fault::none) {
      return report(e, i, f, address, 4, lane);
    }
    if (!written) return report(e, i, lds::fault::undefined, address, 4, lane);
    u32 old;
    std::memcpy(&old, word, 4);
    const u32 now = F(old, operand.at[lane]);
    std::memcpy(word, &now, 4);
    if (i.results > 0) set_lane(w, i.result[0].index, lane, old, true, true);
  }
  issue(e, i, i.results > 0 ? 1 : 0);
}

// Each lane takes source 1 of the lane that its address names; lanes that EXEC has off give zero.
void gather(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, at)) return;
  const lanes32 from = e.raw(i, 1);
  const u64 exec = e.exec();
  u32* r = e.scratch();
  u64 low = 0, high = 0;
  for (int l = 0; l < k_lanes; ++l) {
    const int source = (at.at[l] + static_cast<u32>(i.offset)) >> 2 & 63;
    const bool there = exec >> source & 1;
    r[l] = there ? from.at[source] : 0;
    low |= (there ? from.low >> source & 1 : 1) << l;
    high |= (there ? from.high >> source & 1 : 1) << l;
  }
  e.put(i, r, low, high);
  issue(e, i, 1);
}

// Each lane gives source 1 to the lane that its address names; the highest lane wins, others get zero.
void scatter(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, at)) return;
  const lanes32 from = e.raw(i, 1);
  u32* r = e.scratch();
  u64 low = k_all, high = k_all;
  each_lane([&](int l) { r[l] = 0; });
  each_of(e.exec(), [&](int l) {
    const int to = (at.at[l] + static_cast<u32>(i.offset)) >> 2 & 63;
    const u64 one = u64{1} << to;
    r[to] = from.at[l];
    low = (low & ~one) | (from.low >> l & 1) << to;
    high = (high & ~one) | (from.high >> l & 1) << to;
  });
  e.put(i, r, low, high);
  issue(e, i, 1);
}

// The offset holds the pattern: bit 15 a permutation of four, else and-, or- and xor-masks of five bits within 32
// lanes.
void swizzle(executor& e, const instruction& i) {
  const lanes32 from = e.raw(i, 0);
  const u32 pattern = i.word & 0xffff;
  const u64 exec = e.exec();
  u32* r = e.scratch();
  u64 low = 0, high = 0;
  for (int l = 0; l < k_lanes; ++l) {
    int source = (l & ~3) | static_cast<int>(pattern >> (2 * (l & 3)) & 3);
    if (!(pattern & 0x8000)) {
      const int in_half = (((l & 31) & static_cast<int>(pattern & 31)) | static_cast<int>(pattern >> 5 & 31)) ^
                          static_cast<int>(pattern >> 10 & 31);
      source = (l & 32) | in_half;
    }
    const bool there = exec >> source & 1;
    r[l] = there ? from.at[source] : 0;
    low |= (there ? from.low >> source & 1 : 1) << l;
    high |= (there ? from.high >> source & 1 : 1) << l;
  }
  e.put(i, r, low, high);
  issue(e, i, 1);
}

template <auto F>
void add_atomic(opcode_rows& rows, const std::string& name, const std::string& type) {
  rows.push_back({"ds_" + name + "_" + type, op_class::lds, 0, atomic<F>});
  rows.push_back({"ds_" + name + "_rtn_" + type, op_class::lds, 1, atomic<F>});
}

}  // namespace

void add_lds_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::lds;
  const opcode group[] = {
      {"ds_read_b32", k, 1, read<4>},
      {"ds_read_b64", k, 1, read<8>},
      {"ds_read_b96", k, 1, read<12>},
      {"ds_read_b128", k, 1, read<16>},
      {"ds_read_u8", k, 1, read_small<u8, extend::zero>},
      {"ds_read_i8", k, 1, read_small<signed char, extend::sign>},
      {"ds_read_u16", k, 1, read_small<u16, extend::zero>},
      {"ds_read_i16", k, 1, read_small<i16, extend::sign>},
      {"ds_read_u8_d16", k, 1, read_small<u8, extend::low_half>},
      {"ds_read_u8_d16_hi", k, 1, read_small<u8, extend::high_half>},
      {"ds_read_u16_d16", k, 1, read_small<u16, extend::low_half>},
      {"ds_read_u16_d16_hi", k, 1, read_small<u16, extend::high_half>},
      {"ds_read2_b32", k, 1, read_two<4, 4>},
      {"ds_read2_b64", k, 1, read_two<8, 8>},
      {"ds_read2st64_b32", k, 1, read_two<4, 256>},
      {"ds_read2st64_b64", k, 1, read_two<8, 512>},
      {"ds_write_b8", k, 0, write<1>},
      {"ds_write_b16", k, 0, write<2>},
      {"ds_write_b8_d16_hi", k, 0, write<1, 16>},
      {"ds_write_b16_d16_hi", k, 0, write<2, 16>},
      {"ds_write_b32", k, 0, write<4>},
      {"ds_write_b64", k, 0, write<8>},
      {"ds_write_b96", k, 0, write<12>},
      {"ds_write_b128", k, 0, write<16>},
      {"ds_write2_b32", k, 0, write_two<4, 4>},
      {"ds_write2_b64", k, 0, write_two<8, 8>},
      {"ds_write2st64_b32", k, 0, write_two<4, 256>},
      {"ds_write2st64_b64", k, 0, write_two<8, 512>},
      {"ds_bpermute_b32", k, 1, gather},
      {"ds_permute_b32", k, 1, scatter},
      {"ds_swizzle_b32", k, 1, swizzle},
      {"ds_wrxchg_rtn_b32", k, 1, atomic<[](u32, u32 b) { return b; }>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
  add_atomic<[](u32 a, u32 b) { return a + b; }>(rows, "add", "u32");
  add_atomic<[](u32 a, u32 b) { return a - b; }>(rows, "sub", "u32");
  add_atomic<[](u32 a, u32 b) { return a < b ? a : b; }>(rows, "min", "u32");
  add_atomic<[](u32 a, u32 b) { return b < a ? a : b; }>(rows, "max", "u32");
  add_atomic<[](u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b) ? a : b; }>(rows, "min", "i32");
  add_atomic<[](u32 a, u32 b) { return static_cast<i32>(b) < static_cast<i32>(a) ? a : b; }>(rows, "max", "i32");
  add_atomic<[](u32 a, u32 b) { return a & b; }>(rows, "and", "b32");
  add_atomic<[](u32 a, u32 b) { return a | b; }>(rows, "or", "b32");
  add_atomic<[](u32 a, u32 b) { return a ^ b; }>(rows, "xor", "b32");
  add_atomic<[](u32 a, u32 b) { return as_u32(as_f32(a) + as_f32(b)); }>(rows, "add", "f32");
  add_atomic<[](u32 a, u32 b) { return as_u32(lesser_of(as_f32(a), as_f32(b))); }>(rows, "min", "f32");
  add_atomic<[](u32 a, u32 b) { return as_u32(greater_of(as_f32(a), as_f32(b))); }>(rows, "max", "f32");
}

}  // namespace rowsmith::gcn
