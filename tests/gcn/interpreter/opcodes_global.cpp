// Global and flat memory: loads, stores, atomics. Cache hints (glc, slc, nontemporal) change nothing here. A flat
// address is taken for a global one.
#include <atomic>
#include <cstring>
#include <type_traits>

#include "handlers.h"

namespace rowsmith::gcn {
namespace {

void issue(executor& e, const instruction& i, int registers) {
  const operand* into = registers > 0 ? &i.result[0] : nullptr;
  const auto from = registers > 0 ? scoreboard::source::load : scoreboard::source::store;
  e.w().pending.issue(scoreboard::vector_memory, from, i, into, registers);
  if (i.flat) e.w().pending.issue(scoreboard::local_and_scalar, from, i, into, registers);
}

// The address of every active lane: a pair of vector registers, or a scalar pair and a 32-bit vector offset. `base` is
// which source holds the scalar pair. False: a fault was reported.
bool addresses(executor& e, const instruction& i, int base, u32 size, access wanted, lanes_of<u64>& at) {
  const wave& w = e.w();
  const u64 exec = e.exec();
  const int r = i.source[0].index;
  u64 defined = w.low_written[r] & w.high_written[r];
  const u32* low = w.v[r];
  if (base < i.sources && i.source[base].is_scalar()) {
    const scalar_value from = e.scalar64(i, base);
    if (!from.known(~u64{0})) defined = 0;
    const u64 start = from.bits + static_cast<u64>(i64{i.offset});
    each_lane([&](int l) { at.at[l] = start + low[l]; });
  } else {
    const u32* high = w.v[r + 1];
    defined &= w.low_written[r + 1] & w.high_written[r + 1];
    each_lane([&](int l) { at.at[l] = (low[l] | u64{high[l]} << 32) + static_cast<u64>(i64{i.offset}); });
  }
  if ((exec & ~defined) != 0) {
    e.undefined(i, "used as an address");
    return false;
  }
  if (wanted == access::read_write && w.doubtful() != 0) {
    e.undefined(i, "what decides whether lane " + std::to_string(std::countr_zero(w.doubtful())) + " stores");
    return false;
  }
  if (exec == 0) return false;
  u64 least = ~u64{0}, most = 0;
  if (exec == k_every_lane) {
    for (int l = 0; l < k_lanes; ++l) least = at.at[l] < least ? at.at[l] : least;
    for (int l = 0; l < k_lanes; ++l) most = at.at[l] > most ? at.at[l] : most;
  } else {
    each_of(exec, [&](int l) { least = std::min(least, at.at[l]), most = std::max(most, at.at[l]); });
  }
  const auto allows = [&](const memory_range* range) {
    return range != nullptr && (wanted == access::read || range->allowed == access::read_write);
  };
  if (most - least < u64{1} << 62 && allows(e.memory().find(least, most - least + size))) return true;
  for (u64 rest = exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const memory_range* range = e.memory().find(at.at[lane], size);
    if (allows(range)) continue;
    const std::string what = std::to_string(size) + " bytes" + (wanted == access::read ? " read" : " written");
    e.fault_at(i, what + (range ? " where only reading is allowed" : " out of bounds") + ", lane " +
                      std::to_string(lane) + ": " + e.memory().nearest(at.at[lane]));
    return false;
  }
  return true;
}

template <int Words>
void load(executor& e, const instruction& i) {
  lanes_of<u64> at;
  if (!addresses(e, i, 1, 4 * Words, access::read, at)) return;
  wave& w = e.w();
  const u64 exec = e.exec();
  const int first = i.result[0].index;
  const auto take = [&](int l) {
    u32 words[Words];
    std::memcpy(words, reinterpret_cast<const void*>(at.at[l]), sizeof words);
    for (int n = 0; n < Words; ++n) w.v[first + n][l] = words[n];
  };
  if (exec == k_every_lane) {
    for (int l = 0; l < k_lanes; ++l) take(l);
  } else {
    each_of(exec, take);
  }
  for (int n = 0; n < Words; ++n) w.mark(first + n, exec, exec, exec);
  issue(e, i, Words);
}

enum class extend { whole, low_half, high_half };

template <class T, extend How>
void load_small(executor& e, const instruction& i) {
  lanes_of<u64> at;
  if (!addresses(e, i, 1, sizeof(T), access::read, at)) return;
  wave& w = e.w();
  const u64 exec = e.exec();
  const int r = i.result[0].index;
  each_of(exec, [&](int l) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(at.at[l]), sizeof value);
    const u32 wide = static_cast<u32>(static_cast<i32>(value)), was = w.v[r][l];
    w.v[r][l] = How == extend::whole      ? wide
                : How == extend::low_half ? (was & 0xffff0000u) | (wide & 0xffff)
                                          : (was & 0xffff) | wide << 16;
  });
  w.mark(r, exec, How == extend::high_half ? w.low_written[r] : exec,
         How == extend::low_half ? w.high_written[r] : exec);
  issue(e, i, 1);
}

template <int Bytes, int Shift = 0>
void store(executor& e, const instruction& i) {
  constexpr int words = (Bytes + 3) / 4;
  lanes_of<u64> at;
  if (!addresses(e, i, 2, Bytes, access::read_write, at)) return;
  const wave& w = e.w();
  const u64 exec = e.exec();
  const int first = i.source[1].index;
  u64 defined = k_every_lane;
  for (int n = 0; n < words; ++n) {
    if (Bytes >= 4 || Shift == 0) defined &= w.low_written[first + n];
    if (Bytes >= 4 || Shift != 0) defined &= w.high_written[first + n];
  }
  if ((exec & ~defined) != 0)
    return e.undefined(i, "stored by lane " + std::to_string(std::countr_zero(exec & ~defined)));
  const auto give = [&](int l) {
    u32 data[words];
    for (int n = 0; n < words; ++n) data[n] = w.v[first + n][l] >> Shift;
    std::memcpy(reinterpret_cast<void*>(at.at[l]), data, Bytes);
  };
  if (exec == k_every_lane) {
    for (int l = 0; l < k_lanes; ++l) give(l);
  } else {
    each_of(exec, give);
  }
  issue(e, i, 0);
}

template <class T>
T lane_value(const wave& w, int r, int l) {
  if constexpr (sizeof(T) == 8) return w.v[r][l] | T{w.v[r + 1][l]} << 32;
  return w.v[r][l];
}

// F(old, operand), lane after lane, each with the host's own atomics: blocks may run on several threads.
template <class T, auto F>
void atomic(executor& e, const instruction& i) {
  constexpr int words = sizeof(T) / 4;
  lanes_of<u64> at;
  if (!addresses(e, i, 2, sizeof(T), access::read_write, at)) return;
  wave& w = e.w();
  const u64 exec = e.exec();
  const int first = i.source[1].index, into = i.result[0].index;
  for (int n = 0; n < i.source[1].registers; ++n) {
    if ((exec & ~(w.low_written[first + n] & w.high_written[first + n])) != 0) return e.undefined(i, "stored");
  }
  for (u64 rest = exec; rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    if (at.at[l] % sizeof(T) != 0) return e.fault_at(i, "misaligned atomic, lane " + std::to_string(l));
    std::atomic_ref<T> word(*reinterpret_cast<T*>(at.at[l]));
    T old = word.load(), now;
    do {
      if constexpr (requires { F(old, old, old); }) {  // compare and swap: the new value, then the expected one
        now = F(old, lane_value<T>(w, first, l), lane_value<T>(w, first + words, l));
      } else {
        now = F(old, lane_value<T>(w, first, l));
      }
    } while (!word.compare_exchange_weak(old, now));
    if (i.results == 0) continue;
    for (int n = 0; n < words; ++n) w.v[into + n][l] = static_cast<u32>(u64{old} >> (32 * n));
  }
  if (i.results > 0) {
    for (int n = 0; n < words; ++n) w.mark(into + n, exec, exec, exec);
  }
  issue(e, i, i.results > 0 ? words : 0);
}

void add_both(opcode_rows& rows, const std::string& name, op_class k, u8 results, handler run) {
  rows.push_back({"global_" + name, k, results, run});
  rows.push_back({"flat_" + name, k, results, run});
}

template <auto F>
void add_atomic(opcode_rows& rows, const std::string& name) {
  add_both(rows, "atomic_" + name, op_class::atomic, 0, atomic<u32, F>);
  add_both(rows, "atomic_" + name + "_x2", op_class::atomic, 0, atomic<u64, F>);
}

template <class T>
auto to_signed(T value) {
  return static_cast<std::make_signed_t<T>>(value);
}

}  // namespace

void add_global_opcodes(opcode_rows& rows) {
  add_both(rows, "load_dword", op_class::load_4, 1, load<1>);
  add_both(rows, "load_dwordx2", op_class::load_8, 1, load<2>);
  add_both(rows, "load_dwordx3", op_class::load_16, 1, load<3>);
  add_both(rows, "load_dwordx4", op_class::load_16, 1, load<4>);
  constexpr op_class narrow = op_class::load_narrow;
  add_both(rows, "load_ubyte", narrow, 1, load_small<u8, extend::whole>);
  add_both(rows, "load_sbyte", narrow, 1, load_small<signed char, extend::whole>);
  add_both(rows, "load_ushort", narrow, 1, load_small<u16, extend::whole>);
  add_both(rows, "load_sshort", narrow, 1, load_small<i16, extend::whole>);
  add_both(rows, "load_short_d16", narrow, 1, load_small<u16, extend::low_half>);
  add_both(rows, "load_short_d16_hi", narrow, 1, load_small<u16, extend::high_half>);
  add_both(rows, "load_ubyte_d16", narrow, 1, load_small<u8, extend::low_half>);
  add_both(rows, "load_ubyte_d16_hi", narrow, 1, load_small<u8, extend::high_half>);
  add_both(rows, "load_sbyte_d16", narrow, 1, load_small<signed char, extend::low_half>);
  add_both(rows, "load_sbyte_d16_hi", narrow, 1, load_small<signed char, extend::high_half>);
  add_both(rows, "store_byte", op_class::store_narrow, 0, store<1>);
  add_both(rows, "store_short", op_class::store_narrow, 0, store<2>);
  add_both(rows, "store_byte_d16_hi", op_class::store_narrow, 0, store<1, 16>);
  add_both(rows, "store_short_d16_hi", op_class::store_narrow, 0, store<2, 16>);
  add_both(rows, "store_dword", op_class::store_4, 0, store<4>);
  add_both(rows, "store_dwordx2", op_class::store_8, 0, store<8>);
  add_both(rows, "store_dwordx3", op_class::store_16, 0, store<12>);
  add_both(rows, "store_dwordx4", op_class::store_16, 0, store<16>);
  add_atomic<[](auto a, auto b) { return a + b; }>(rows, "add");
  add_atomic<[](auto a, auto b) { return a - b; }>(rows, "sub");
  add_atomic<[](auto, auto b) { return b; }>(rows, "swap");
  add_atomic<[](auto a, auto b) { return a & b; }>(rows, "and");
  add_atomic<[](auto a, auto b) { return a | b; }>(rows, "or");
  add_atomic<[](auto a, auto b) { return a ^ b; }>(rows, "xor");
  add_atomic<[](auto a, auto b) { return a < b ? a : b; }>(rows, "umin");
  add_atomic<[](auto a, auto b) { return b < a ? a : b; }>(rows, "umax");
  add_atomic<[](auto a, auto b) { return to_signed(a) < to_signed(b) ? a : b; }>(rows, "smin");
  add_atomic<[](auto a, auto b) { return to_signed(b) < to_signed(a) ? a : b; }>(rows, "smax");
  add_atomic<[](auto a, auto b) { return b <= a ? decltype(a){0} : static_cast<decltype(a)>(a + 1); }>(rows, "inc");
  add_atomic<[](auto a, auto b) { return a == 0 || b < a ? b : static_cast<decltype(a)>(a - 1); }>(rows, "dec");
  constexpr op_class k = op_class::atomic;
  add_both(rows, "atomic_cmpswap", k, 0, atomic<u32, [](u32 a, u32 b, u32 c) { return a == c ? b : a; }>);
  add_both(rows, "atomic_cmpswap_x2", k, 0, atomic<u64, [](u64 a, u64 b, u64 c) { return a == c ? b : a; }>);
  add_both(rows, "atomic_add_f32", k, 0, atomic<u32, [](u32 a, u32 b) { return as_u32(as_f32(a) + as_f32(b)); }>);
  add_both(rows, "atomic_add_f64", k, 0, atomic<u64, [](u64 a, u64 b) { return as_u64(as_f64(a) + as_f64(b)); }>);
  add_both(rows, "atomic_pk_add_f16", k, 0, atomic<u32, [](u32 a, u32 b) {
             const u32 low = float_to_half(half_to_float(a & 0xffff) + half_to_float(b & 0xffff));
             return low | float_to_half(half_to_float(a >> 16) + half_to_float(b >> 16)) << 16;
           }>);
}

}  // namespace rowsmith::gcn
